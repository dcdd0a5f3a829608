#include "report/comparison_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/lines.h"
#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

// With fewer data sets the chi-squared and F distributions are rough approximations (Demsar 2006: N > 10 and k > 5 for
// chi2), and Wilcoxon's test cannot reach 0.05 at all.
constexpr Index kFewDatasets = 6;

void add_cautions(const Comparison& comparison, std::vector<std::string>& notes) {
  const Index datasets = comparison.ranks.datasets;
  if (datasets < kFewDatasets) {
    notes.push_back(fmt::format(
        "{} data sets are few: the p-values of Friedman and Iman-Davenport are rough, and no Wilcoxon or permutation p "
        "can be below {:.3g}",
        datasets, std::exp2(1.0 - static_cast<double>(datasets))));
  }
  if (std::isinf(comparison.iman_davenport.f)) {
    notes.emplace_back(
        "all data sets rank the methods alike: F_F is infinite however few they are, so Friedman's test decides");
  }
}

// Whether the methods differ at all. An infinite F_F has p = 0 even on two data sets, which says nothing; Friedman's
// test still knows how many they are.
double overall_p(const Comparison& comparison) {
  return std::isinf(comparison.iman_davenport.f) ? comparison.friedman.p : comparison.iman_davenport.p;
}

// For people.

constexpr std::size_t kMostRows = 60;  // of one table; the JSON document has the rest

constexpr int kLongestInPair = 16;

using Row = std::vector<std::string>;

// A, B, ..., Z, AA, AB, ...
std::string letters(std::size_t number) {
  std::string text;
  for (std::size_t left = number + 1; left > 0; left = (left - 1) / 26) {
    text.insert(text.begin(), static_cast<char>('A' + (left - 1) % 26));
  }
  return text;
}

std::string p_text(double p) {
  return p < 0.0001 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p);
}

std::string mean_text(std::optional<double> mean) {
  return mean ? fmt::format("{:#.4g}", *mean) : "-";
}

std::string number_text(std::optional<double> value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

// Writes a comparison section by section.
class TextWriter {
 public:
  explicit TextWriter(const ComparisonReport& report) : report_(report), comparison_(report.comparison) {}

  std::string write() const {
    return heading() + average_ranks_table() + ranks_table() + tests() + post_hoc_tests() + control_table() +
           pairs_table() + notes();
  }

 private:
  std::string name(Index method) const { return shown(report_.table.methods[static_cast<std::size_t>(method)]); }
  double average(Index method) const { return comparison_.ranks.average[static_cast<std::size_t>(method)]; }

  std::string heading() const {
    return fmt::format("{}: {} ({} is better), {} methods on {} data sets\n", report_.table.file,
                       shown(report_.table.metric), report_.options.better == Better::kHigher ? "higher" : "lower",
                       comparison_.ranks.methods, comparison_.ranks.datasets);
  }

  std::string average_ranks_table() const {
    std::vector<Row> rows = {{"", "method", "average rank", "mean"}};
    for (std::size_t k = 0; k < comparison_.order.size(); ++k) {
      const Index method = comparison_.order[k];
      rows.push_back({letters(k), name(method), fmt::format("{:.2f}", average(method)),
                      mean_text(comparison_.means[static_cast<std::size_t>(method)])});
    }
    return "\naverage ranks, best first\n" + aligned_table(rows, 2);
  }

  std::string rank_text(Index dataset, Index method) const {
    const std::string rank = fmt::format("{:g}", comparison_.ranks.at(dataset, method));
    return std::isnan(report_.table.at(dataset, method)) ? "(" + rank + ")" : rank;
  }

  std::string ranks_table() const {
    Row header = {"data set"};
    for (std::size_t k = 0; k < comparison_.order.size(); ++k) header.push_back(letters(k));
    std::vector<Row> rows = {header};
    const std::size_t datasets = report_.table.datasets.size();
    for (std::size_t d = 0; d < std::min(datasets, kMostRows); ++d) {
      Row row = {shown(report_.table.datasets[d])};
      for (const Index method : comparison_.order) {
        row.push_back(rank_text(static_cast<Index>(d), method));
      }
      rows.push_back(row);
    }
    std::string text = "\nranks on each data set, in brackets where there is no value\n" + aligned_table(rows, 1);
    if (datasets > kMostRows) text += fmt::format("  ... {} more\n", datasets - kMostRows);
    return text;
  }

  std::string tests() const {
    const FriedmanTest& friedman = comparison_.friedman;
    const ImanDavenportTest& iman = comparison_.iman_davenport;
    const double alpha = report_.options.alpha;
    std::string text = "\ndo the methods differ at all?\n";
    text += fmt::format("  Friedman: chi2 = {:.5g} with {} of freedom, p = {}", friedman.chi2,
                        counted(static_cast<std::size_t>(friedman.degrees_of_freedom), "degree"), p_text(friedman.p));
    if (friedman.chi2_tie_corrected > friedman.chi2) {
      text += fmt::format(" (corrected for ties: {:.5g}, p = {})", friedman.chi2_tie_corrected,
                          p_text(friedman.p_tie_corrected));
    }
    text += fmt::format(
        "\n  Iman-Davenport: F_F = {:.5g} with {} and {} degrees of freedom, p = {}; critical value {:.4g}\n", iman.f,
        iman.df1, iman.df2, p_text(iman.p), iman.critical_value);
    text += fmt::format("  Kendall's W = {:.3f}: how far the data sets agree, from 0 to 1\n", friedman.kendall_w);
    if (std::isinf(iman.f)) text += "  F_F is infinite (see the notes): Friedman's test decides.\n";
    const bool differ = overall_p(comparison_) <= alpha;
    text += fmt::format("  At alpha = {:g}, {}.\n", alpha, differ ? "yes: they are not all alike" : "nothing says so");
    return text;
  }

  std::string post_hoc_tests() const {
    std::string text = "\nwhich ones?\n";
    if (overall_p(comparison_) > report_.options.alpha) {
      text += "  The tests above found no difference: read what follows with that in mind.\n";
    }
    text += fmt::format("  Nemenyi: two methods differ if their average ranks are {:.3f} apart (q = {:.3f})\n",
                        comparison_.nemenyi.distance, comparison_.nemenyi.q);
    text += fmt::format(
        "  Bonferroni-Dunn: a method differs from {} if their average ranks are {:.3f} apart (q = {:.3f})\n",
        name(comparison_.control), comparison_.bonferroni_dunn.distance, comparison_.bonferroni_dunn.q);
    return text;
  }

  std::string control_table() const {
    std::vector<Row> rows = {{"method", "rank difference", "p", ""}};
    for (const ControlComparison& other : comparison_.against_control) {
      rows.push_back({name(other.method), fmt::format("{:+.2f}", other.rank_difference), p_text(other.p),
                      other.significant ? (other.rank_difference > 0 ? "worse" : "better") : ""});
    }
    return fmt::format("\nagainst {} (Bonferroni-Dunn)\n", name(comparison_.control)) + aligned_table(rows, 1);
  }

  std::string pairs_table() const {
    std::vector<Row> rows = {{"a", "b", "ranks", "Nemenyi p", "", "Wilcoxon p", "Holm", "permutation p", "Holm",
                              "won-tied-lost", "mean a-b", "r", "d"}};
    for (std::size_t k = 0; k < std::min(comparison_.pairs.size(), kMostRows); ++k) {
      const PairComparison& pair = comparison_.pairs[k];
      rows.push_back({in_pair(pair.a), in_pair(pair.b), fmt::format("{:.2f}", pair.rank_difference),
                      p_text(pair.nemenyi_p), pair.significant_nemenyi ? "*" : "", p_text(pair.wilcoxon.p),
                      p_text(pair.wilcoxon_p_holm), p_text(pair.permutation.p), p_text(pair.permutation_p_holm),
                      fmt::format("{}-{}-{}", pair.effect.wins, pair.effect.ties, pair.effect.losses),
                      number_text(pair.effect.mean), effect_text(pair.effect.rank_biserial),
                      effect_text(pair.effect.cohens_d)});
    }
    std::string text =
        "\nall pairs (*: Nemenyi; Holm: p adjusted for all pairs; r: rank-biserial correlation; d: Cohen's)\n" +
        aligned_table(rows, 2);
    if (comparison_.pairs.size() > kMostRows) {
      text += fmt::format("  ... {} more; `json` has them all\n", comparison_.pairs.size() - kMostRows);
    }
    return text;
  }

  // The name, or its letter if names would make the lines too long.
  std::string in_pair(Index method) const {
    const auto longest = std::max_element(comparison_.order.begin(), comparison_.order.end(), [&](Index i, Index j) {
      return display_width(name(i)) < display_width(name(j));
    });
    if (display_width(name(*longest)) <= kLongestInPair) return name(method);
    const auto found = std::find(comparison_.order.begin(), comparison_.order.end(), method);
    return letters(static_cast<std::size_t>(found - comparison_.order.begin()));
  }

  static std::string effect_text(std::optional<double> value) { return value ? fmt::format("{:+.2f}", *value) : "-"; }

  std::string notes() const {
    if (report_.notes.empty()) return {};
    std::string text = "\nnotes\n";
    for (const std::string& note : report_.notes) text += fmt::format("  - {}\n", note);
    return text;
  }

  const ComparisonReport& report_;
  const Comparison& comparison_;
};

// For programs.

json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

json methods_json(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  json methods = json::array();
  for (std::size_t m = 0; m < report.table.methods.size(); ++m) {
    json ranks = json::array();
    for (Index d = 0; d < comparison.ranks.datasets; ++d) {
      ranks.push_back(comparison.ranks.at(d, static_cast<Index>(m)));
    }
    methods.push_back({{"name", report.table.methods[m]},
                       {"average_rank", comparison.ranks.average[m]},
                       {"mean", number(comparison.means[m])},
                       {"ranks", std::move(ranks)}});
  }
  return methods;
}

json pair_json(const PairComparison& pair, const std::vector<std::string>& names) {
  return {{"a", names[static_cast<std::size_t>(pair.a)]},
          {"b", names[static_cast<std::size_t>(pair.b)]},
          {"rank_difference", pair.rank_difference},
          {"nemenyi_p", pair.nemenyi_p},
          {"significant_nemenyi", pair.significant_nemenyi},
          {"datasets", pair.datasets},
          {"wilcoxon",
           {{"statistic", pair.wilcoxon.statistic},
            {"p", pair.wilcoxon.p},
            {"p_holm", pair.wilcoxon_p_holm},
            {"exact", pair.wilcoxon.exact},
            {"zeros", pair.wilcoxon.zeros},
            {"n", pair.wilcoxon.differences}}},
          {"permutation",
           {{"p", pair.permutation.p}, {"p_holm", pair.permutation_p_holm}, {"exact", pair.permutation.exact}}},
          {"wins", pair.effect.wins},
          {"ties", pair.effect.ties},
          {"losses", pair.effect.losses},
          {"mean_difference", number(pair.effect.mean)},
          {"median_difference", number(pair.effect.median)},
          {"rank_biserial", number(pair.effect.rank_biserial)},
          {"cohens_d", number(pair.effect.cohens_d)}};
}

json tests_json(const Comparison& comparison) {
  const FriedmanTest& friedman = comparison.friedman;
  const ImanDavenportTest& iman = comparison.iman_davenport;
  return {{"friedman",
           {{"chi2", friedman.chi2},
            {"p", friedman.p},
            {"chi2_tie_corrected", friedman.chi2_tie_corrected},
            {"p_tie_corrected", friedman.p_tie_corrected},
            {"degrees_of_freedom", friedman.degrees_of_freedom},
            {"kendall_w", friedman.kendall_w}}},
          {"iman_davenport",
           {{"f", number(iman.f)},
            {"p", iman.p},
            {"df1", iman.df1},
            {"df2", iman.df2},
            {"critical_value", iman.critical_value}}},
          {"critical_distance",
           {{"nemenyi", comparison.nemenyi.distance},
            {"bonferroni_dunn", comparison.bonferroni_dunn.distance},
            {"q_nemenyi", comparison.nemenyi.q},
            {"q_bonferroni_dunn", comparison.bonferroni_dunn.q}}}};
}

}  // namespace

ComparisonReport make_comparison_report(ResultsTable table, const CompareOptions& options, Context& ctx) {
  ComparisonReport report;
  report.comparison = compare_methods(table.values, std::ssize(table.methods), options, ctx);
  report.notes = table.notes;
  add_cautions(report.comparison, report.notes);
  report.table = std::move(table);
  report.options = options;
  return report;
}

std::string comparison_text(const ComparisonReport& report) {
  return TextWriter(report).write();
}

std::string comparison_json(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  const std::vector<std::string>& names = report.table.methods;
  json document = tests_json(comparison);
  document["metric"] = report.table.metric;
  document["better"] = report.options.better == Better::kHigher ? "higher" : "lower";
  document["alpha"] = report.options.alpha;
  document["datasets"] = report.table.datasets;
  document["methods"] = methods_json(report);
  document["control"] = names[static_cast<std::size_t>(comparison.control)];
  document["pairs"] = json::array();
  for (const PairComparison& pair : comparison.pairs) document["pairs"].push_back(pair_json(pair, names));
  document["bonferroni_dunn"] = json::array();
  for (const ControlComparison& other : comparison.against_control) {
    document["bonferroni_dunn"].push_back({{"method", names[static_cast<std::size_t>(other.method)]},
                                           {"rank_difference", other.rank_difference},
                                           {"p", other.p},
                                           {"significant", other.significant}});
  }
  document["notes"] = report.notes;
  return json_text(document);
}

}  // namespace clade
