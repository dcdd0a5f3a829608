#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/critical_distance_diagram.h"
#include "report/page/experiment_facts.h"
#include "report/page/series_chart.h"
#include "report/text_table.h"

namespace clade {
namespace {

// ---- tables

constexpr std::string_view kFixedSpace = "\u00a0";  // where a line does not end

PageCell score_cell(const MeasuredMethods::Place& place, bool is_best, bool is_near) {
  PageCell cell = number_cell(place.mean());
  if (const auto deviation = place.deviation()) cell.text += fmt::format(" ±{}{:.4f}", kFixedSpace, *deviation);
  if (is_near) cell.text += fmt::format("{}≈", kFixedSpace);
  cell.mark = is_best ? "best" : is_near ? "near" : "";
  return cell;
}

// The table, and in `words` what its marks mean.
PageTable scores_table(const MeasuredMethods& measured, const MethodTests& tests, std::string& words) {
  PageTable table{"scores-" + file_word(measured.measure), "", {}, {}};
  table.caption = fmt::format("{} ({} is better): mean ± standard deviation over folds", measured.measure,
                              measured.higher_is_better ? "higher" : "lower");
  bool has_near = false;
  table.columns.push_back({"method", false, ""});
  std::vector<AgainstBest> against;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    table.columns.push_back({measured.datasets[d], true, ""});
    against.push_back(against_best(measured, tests, d));
  }
  if (tests.comparison) table.columns.push_back({"average rank", true, "over the data sets; 1 is best"});
  for (std::size_t m = 0; m < measured.methods.size(); ++m) {
    auto& row = table.rows.emplace_back();
    row.push_back(text_cell(measured.methods[m]));
    for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
      const bool is_best = measured.is_best(d, m);
      const auto& test = against[d].tests[m];
      const bool is_near = against[d].can_tell && !is_best && test && test->p_holm >= kSignificant;
      has_near = has_near || is_near;
      row.push_back(score_cell(measured.at(d, m), is_best, is_near));
    }
    if (tests.comparison) {
      const double rank = tests.comparison->ranks.average[m];
      row.push_back({fmt::format("{:.2f}", rank), rank, {}});
      const auto& ranks = tests.comparison->ranks.average;
      if (rank == *std::ranges::min_element(ranks)) row.back().mark = "best";
    }
  }
  words = "Bold: the best of the data set.";
  if (has_near) words += " ≈: not significantly worse than the best (permutation test over the folds, Holm, 0.05).";
  const auto told = std::ranges::count_if(against, &AgainstBest::can_tell);
  if (!tests.folds.empty() && told < std::ssize(against)) {
    words += told == 0 ? " There are too few folds to tell so many methods apart: no difference could be significant."
                       : " Some data sets have too few folds to tell so many methods apart: nothing is marked there.";
  }
  return table;
}

PageTable folds_table(const MeasuredMethods& measured, const MethodTests& tests) {
  PageTable table{"folds-" + file_word(measured.measure), "", {}, {}};
  table.caption = fmt::format(
      "{}: all numbers, and permutation tests of each method against the best of the data set over the folds, with "
      "Holm's correction",
      measured.measure);
  table.columns = {{"method", false, ""},
                   {"data set", false, ""},
                   {"mean", true, ""},
                   {"deviation", true, "over the folds"},
                   {"folds", true, "of all repeats, draws and orders"},
                   {"difference", true, "to the best, over the folds that both have"},
                   {"p", true, ""},
                   {"p (Holm)", true, "corrected for the other methods on the data set"}};
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    const AgainstBest against = against_best(measured, tests, d);
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      const auto& place = measured.at(d, m);
      if (!place.mean()) continue;
      auto& row = table.rows.emplace_back();
      row = {text_cell(measured.methods[m]), text_cell(measured.datasets[d]), number_cell(place.mean()),
             number_cell(place.deviation()), count_cell(std::ssize(place.folds))};
      const auto& test = against.tests[m];
      row.push_back(number_cell(test ? std::optional(test->difference) : std::nullopt));
      if (row.back().text == "-0.0000") row.back().text.erase(0, 1);
      row.push_back(test ? p_cell(test->p) : text_cell("–"));
      row.push_back(test ? p_cell(test->p_holm) : text_cell("–"));
    }
  }
  return table;
}

// All pairs, or those with the best method where they are many.
PageTable pairs_table(const MeasuredMethods& measured, const MethodTests& tests) {
  constexpr std::size_t kMostPairs = 120;
  const Comparison& found = *tests.comparison;
  const bool has_all = found.pairs.size() <= kMostPairs;
  PageTable table{"pairs-" + file_word(measured.measure), "", {}, {}};
  table.caption = fmt::format("{}: tests over the {} data sets, {}", measured.measure, tests.datasets.size(),
                              has_all ? "all pairs of methods" : "pairs with the method of the best average rank");
  table.columns = {{"better", false, "by average rank"},
                   {"than", false, ""},
                   {"rank difference", true, ""},
                   {"p (Nemenyi)", true, ""},
                   {"p (Wilcoxon, Holm)", true, "Wilcoxon's signed-rank test, corrected for all pairs"},
                   {"p (permutation, Holm)", true, "permutation test, corrected for all pairs"},
                   {"wins", true, "data sets on which the first is better"},
                   {"ties", true, ""},
                   {"losses", true, ""}};
  for (const PairComparison& pair : found.pairs) {
    if (!has_all && pair.a != found.order[0]) continue;
    table.rows.push_back({text_cell(measured.methods[static_cast<std::size_t>(pair.a)]),
                          text_cell(measured.methods[static_cast<std::size_t>(pair.b)]),
                          {fmt::format("{:.2f}", pair.rank_difference), pair.rank_difference, {}},
                          p_cell(pair.nemenyi_p),
                          p_cell(pair.wilcoxon_p_holm),
                          p_cell(pair.permutation_p_holm),
                          count_cell(pair.effect.wins),
                          count_cell(pair.effect.ties),
                          count_cell(pair.effect.losses)});
  }
  return table;
}

std::string details_html(std::string_view summary, const std::string& body) {
  return fmt::format("<details class=\"more\"><summary>{}</summary>\n{}</details>\n", html_escaped(summary), body);
}

std::string friedman_sentence(const MethodTests& tests) {
  const Comparison& found = *tests.comparison;
  const double p = found.friedman.p_tie_corrected;
  return fmt::format(
      "Friedman's test over {} data sets: the methods {} ({}, Kendall's W {:.2f}). Average ranks that differ by {:.2f} "
      "differ significantly (Nemenyi, {:g}).",
      tests.datasets.size(), p < kSignificant ? "differ significantly" : "do not differ significantly", p_text(p),
      found.friedman.kendall_w, found.nemenyi.distance, kSignificant);
}

}  // namespace

std::string scores_body(const ExperimentFacts& facts, std::size_t measure) {
  const MeasuredMethods& measured = facts.compared[measure];
  const MethodTests& tests = facts.tests[measure];
  if (measured.methods.empty()) return {};
  std::string body = fmt::format("<h3>{}</h3>\n", html_escaped(measured.measure));
  const std::string sentence = verdict(measured, tests);
  if (!sentence.empty()) body += paragraph_html(sentence);
  if (!tests.note.empty()) body += paragraph_html(tests.note);
  std::string words;
  const std::string table = table_html(scores_table(measured, tests, words));
  const std::size_t left_out = facts.measured[measure].methods.size() - measured.methods.size();
  if (left_out > 0) words += fmt::format(" Left out: {} without any value.", counted(left_out, "method"));
  body += table + fmt::format("<p class=\"muted\">{}</p>\n", html_escaped(words));
  std::string more = details_html("All numbers, and tests over folds", table_html(folds_table(measured, tests)));
  if (tests.comparison) more += details_html("Tests over data sets", table_html(pairs_table(measured, tests)));
  return body + more;
}

std::string ranks_body(const ExperimentFacts& facts, std::size_t measure) {
  const MeasuredMethods& measured = facts.compared[measure];
  const MethodTests& tests = facts.tests[measure];
  if (!tests.comparison) return {};
  const Comparison& found = *tests.comparison;
  CriticalDistanceDiagram diagram{.title = {},
                                  .methods = {},
                                  .average_ranks = found.ranks.average,
                                  .post_hoc = CriticalDistanceDiagram::PostHoc::kNemenyi,
                                  .alpha = kSignificant,
                                  .distance = found.nemenyi.distance,
                                  .control = 0};
  constexpr int kLongestName = 32;
  for (const std::string& method : measured.methods) diagram.methods.push_back(shortened(method, kLongestName));
  PageFigure figure;
  figure.name = "ranks-" + file_word(measured.measure);
  figure.title = "Average ranks by " + measured.measure;
  figure.explanation =
      friedman_sentence(tests) + " Methods that a bar connects are not told apart; the best are on the right.";
  figure.description = "Critical-distance diagram: average rank of every method.";
  figure.svg = critical_distance_svg(diagram);
  figure.numbers = {"ranks-" + file_word(measured.measure), "Average ranks, best first", {}, {}};
  figure.numbers.columns = {{"method", false, ""}, {"average rank", true, ""}};
  for (const Index m : found.order) {
    const double rank = found.ranks.average[static_cast<std::size_t>(m)];
    figure.numbers.rows.push_back(
        {text_cell(measured.methods[static_cast<std::size_t>(m)]), {fmt::format("{:.2f}", rank), rank, {}}});
  }
  return figure_html(figure);
}

std::string distribution_body(const ExperimentFacts& facts, std::size_t measure) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kFewestForBox = 5;
  constexpr std::size_t kMostRows = 40;
  const MeasuredMethods& measured = facts.compared[measure];
  std::string figures;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    RowChart chart{measured.measure, false, {}, {}};
    std::size_t most = 0;
    std::vector<std::size_t> order;
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      if (measured.at(d, m).folds.empty()) continue;
      order.push_back(m);
      most = std::max(most, measured.at(d, m).folds.size());
    }
    if (most < kFewest) continue;
    std::ranges::sort(order, {},
                      [&](std::size_t m) { return std::pair(-goodness(measured, *measured.at(d, m).mean()), m); });
    const bool is_cut = order.size() > kMostRows;
    if (is_cut) order.resize(kMostRows);
    double widest = 0;
    std::size_t widest_method = order[0];
    for (const std::size_t m : order) {
      const auto& folds = measured.at(d, m).folds;
      chart.rows.push_back({measured.methods[m], folds, folds.size() >= kFewestForBox, {}});
      const auto [low, high] = std::ranges::minmax(folds);
      if (high - low > widest) {
        widest = high - low;
        widest_method = m;
      }
    }
    PageFigure figure;
    figure.name = fmt::format("folds-{}-{}", file_word(measured.measure), d + 1);
    figure.title = fmt::format("{}: {} by fold", measured.datasets[d], measured.measure);
    figure.explanation =
        fmt::format("Every dot is a fold, of all repeats and draws{}{}. Those of {} lie furthest apart ({:.4f}).",
                    is_cut ? fmt::format(" of the best {} methods", kMostRows) : "",
                    most >= kFewestForBox ? "; boxes reach from the first to the third quartile, with the median" : "",
                    name_in_quotes(measured.methods[widest_method]), widest);
    figure.description = fmt::format("{} of every method in every fold of {}.", measured.measure, measured.datasets[d]);
    figure.svg = row_chart_svg(chart);
    figures += figure_html(figure);
  }
  return figures_html(figures);
}

}  // namespace clade
