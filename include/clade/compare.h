#pragma once

#include <clade/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

class Context;

// Statistical comparison of k methods on N data sets, after Demsar, "Statistical comparisons of classifiers over
// multiple data sets", JMLR 7 (2006). Scores come as N rows of k: scores[d * k + m] is the score of method m on data
// set d. Undefined numbers (the effect of no difference, an infinite statistic) are returned as values; wrong sizes
// throw Error (kInput).

enum class Better { kHigher, kLower };

// Ranks of the methods on each data set: 1 is best, equal scores share the mean of their ranks. Missing scores (NaN)
// rank behind all others of their data set and share the mean of the last ranks.
struct Ranks {
  Index datasets = 0;
  Index methods = 0;
  std::vector<double> ranks;    // datasets x methods
  std::vector<double> average;  // of each method over the data sets

  double at(Index dataset, Index method) const { return ranks[static_cast<std::size_t>(dataset * methods + method)]; }
};

// Throws Error unless there are at least 2 methods, at least 2 data sets, and no infinite score.
Ranks average_ranks(std::span<const double> scores, Index methods, Better better);

// Do the methods differ at all?
//
//   chi2 = 12 N / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4)       R_j: average rank; k - 1 degrees of freedom
//
// (Friedman 1937). The tie-corrected statistic divides by 1 - sum (t^3 - t) / (N k (k^2 - 1)), where t are the sizes of
// the groups of equal scores; it is 0 if every data set has all scores equal. Kendall's W = chi2 / (N (k - 1)) says how
// far the data sets agree: 0 not at all, 1 entirely.
struct FriedmanTest {
  double chi2 = 0;
  double p = 1;
  double chi2_tie_corrected = 0;
  double p_tie_corrected = 1;
  Index degrees_of_freedom = 0;
  double kendall_w = 0;
};
FriedmanTest friedman_test(const Ranks& ranks);

// The less conservative form of the same test (Iman and Davenport 1980):
//
//   F = (N - 1) chi2 / (N (k - 1) - chi2)       df1 = k - 1, df2 = (k - 1)(N - 1)
//
// If all data sets agree, F is infinite and p is 0. `critical_value` is the F that is exceeded with probability alpha.
struct ImanDavenportTest {
  double f = 0;
  double p = 1;
  Index df1 = 0;
  Index df2 = 0;
  double critical_value = 0;
};
ImanDavenportTest iman_davenport_test(const Ranks& ranks, double alpha);

// Average ranks that differ by at least CD = q sqrt(k (k + 1) / (6 N)) differ significantly.
//
//   Nemenyi (all pairs):                  q = quantile of the studentized range of k at 1 - alpha, over sqrt(2)
//   Bonferroni-Dunn (against a control):  q = z at 1 - alpha / (2 (k - 1))
//
// Any k >= 2 and any alpha in (0, 1); others throw Error.
struct CriticalDistance {
  double q = 0;
  double distance = 0;
};
CriticalDistance nemenyi_distance(Index methods, Index datasets, double alpha);
CriticalDistance bonferroni_dunn_distance(Index methods, Index datasets, double alpha);
// The alpha at which the given difference of average ranks would be the critical distance.
double nemenyi_p(double rank_difference, Index methods, Index datasets);
double bonferroni_dunn_p(double rank_difference, Index methods, Index datasets);

// a - b for each data set on which both have a score. Decimals such as 0.3 - 0.2 and 0.2 - 0.1 differ in their last
// bits; magnitudes that differ by no more than such rounding are made equal, so that ties are seen as ties.
std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b);

// Wilcoxon's signed-rank test, two-sided (Wilcoxon 1945). Differences of 0 are dropped and counted, equal magnitudes
// share their mean rank. The distribution is exact for up to 50 differences, even with ties; for more it is the normal
// approximation, corrected for ties but not for continuity. `statistic` is the smaller of the two rank sums. If all
// differences are 0, p is 1.
struct WilcoxonTest {
  double statistic = 0;
  double p = 1;
  bool exact = true;
  Index zeros = 0;
  Index differences = 0;  // other than 0
};
WilcoxonTest wilcoxon_test(std::span<const double> differences);

// Could the mean difference come from random signs? Two-sided (Fisher 1935). Tries all sign vectors for up to 20
// differences other than 0; for more, m = 100,000 random ones: p = (b + 1) / (m + 1), where b of them have a mean at
// least as far from 0. The result depends on the context's seed, not on its threads.
struct PermutationTest {
  double p = 1;
  bool exact = true;
};
PermutationTest permutation_test(std::span<const double> differences, Context& ctx);

// Adjusts the p-values of several tests so that each may be compared with alpha while the chance of any false alarm
// stays at most alpha (Holm 1979): sorted, p_(i) becomes max over j <= i of min(1, (m - j + 1) p_(j)). The result is in
// the order given.
std::vector<double> holm_adjusted(std::span<const double> p_values);

// How large the differences are. Signs are those of a - b, even if lower is better.
struct PairedEffect {
  Index wins = 0;  // data sets on which a is better than b
  Index ties = 0;
  Index losses = 0;
  std::optional<double> mean;
  std::optional<double> median;
  // (R+ - R-) / (R+ + R-) of Wilcoxon's rank sums (Kerby 2014): 1 if all differences are above 0; empty if there are
  // none.
  std::optional<double> rank_biserial;
  // Mean over standard deviation; empty for fewer than 2 differences, or if all are equal.
  std::optional<double> cohens_d;
};
PairedEffect paired_effect(std::span<const double> differences, Better better);

struct CompareOptions {
  Better better = Better::kHigher;
  double alpha = 0.05;
  Index control = -1;  // a method; -1: the one with the best average rank
};

struct PairComparison {
  Index a = 0;  // the one with the better average rank; if they are equal, the first in the order of methods
  Index b = 0;
  double rank_difference = 0;  // not negative
  double nemenyi_p = 1;
  bool significant_nemenyi = false;
  Index datasets = 0;  // on which both have a score
  WilcoxonTest wilcoxon;
  double wilcoxon_p_holm = 1;  // over all pairs
  PermutationTest permutation;
  double permutation_p_holm = 1;
  PairedEffect effect;
};

struct ControlComparison {
  Index method = 0;
  double rank_difference = 0;  // its average rank minus that of the control
  double p = 1;
  bool significant = false;
};

// All of the above for one table.
struct Comparison {
  Ranks ranks;
  std::vector<Index> order;                  // the methods by average rank, best first
  std::vector<std::optional<double>> means;  // of the scores that a method has
  FriedmanTest friedman;
  ImanDavenportTest iman_davenport;
  CriticalDistance nemenyi;
  CriticalDistance bonferroni_dunn;
  Index control = 0;
  std::vector<PairComparison> pairs;  // in the order of `order`
  std::vector<ControlComparison> against_control;
};

// Throws Error as its parts do, for more than 1,000 methods (half a million pairs), and if the control is not one of
// the methods. Cost: at most O(pairs * (N log N + 2^20)).
Comparison compare_methods(std::span<const double> scores, Index methods, const CompareOptions& options, Context& ctx);

// Tables of results.

// One measure of several methods on several data sets, as read from a file of results.
//
// CSV or TSV (recognised by the first line), compressed or not, with a header, in one of three layouts:
//
//   long         dataset,method,f1,...          a row per run; `metric` names the column
//   long-long    dataset,method,metric,value    a row per number; `metric` names the rows
//   wide         dataset,METHOD,METHOD,...      a row per data set; no column is called `method`
//
// The column of data sets may also be called `data`; upper and lower case are the same in the names of these columns.
// Several rows for one method on one data set (folds, repeats) are averaged, with a note. Empty cells, - (and longer
// dashes), NA, nan and ? are missing values. Data sets and methods keep the order of the file.
struct ResultsTable {
  std::string file;    // for messages
  std::string metric;  // "value" if neither the file nor the user names it
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<double> values;  // datasets x methods, NaN: missing
  std::vector<std::string> notes;

  double at(Index dataset, Index method) const {
    return values[static_cast<std::size_t>(dataset * std::ssize(methods) + method)];
  }
};

// An empty `metric` stands for the only one. Throws Error (kInput) with the line if the file is not such a table, a
// value is not a finite number, or `metric` is not in the file or must be given.
ResultsTable read_results_table(const std::string& path, std::string_view metric, Context& ctx);

// The number of a method in the table. Throws Error (kInput) that lists the methods if none has this name.
Index method_number(const ResultsTable& table, const std::string& name);

// What to do if a method has no value on some data set.
enum class Incomplete {
  kError,
  kDropData,     // leave out such data sets
  kDropMethods,  // leave out such methods
  kWorst,        // keep them: a missing value ranks behind all others
};

// Applies the choice and notes what was left out. Throws Error (kInput) if values are missing and the choice is kError,
// or if fewer than two methods or two data sets are left.
ResultsTable with_incomplete(ResultsTable table, Incomplete choice);

// Is a measure of this name better when higher or when lower? Lower is better for losses, errors, times, TIE and the
// Brier score: if a word of the name (letters between other characters, in any case) is `tie` or `brier`, begins or
// ends with `loss` or `error`, or ends with `time` or `seconds`. For everything else, all other scores of Clade
// included, higher is better.
Better better_direction(std::string_view measure);

}  // namespace clade
