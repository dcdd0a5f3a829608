#include "report/page/experiment_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/page/chart_axis.h"

namespace clade {
namespace {

std::vector<std::size_t> by_mean(const MeasuredMethods& measured, std::size_t dataset) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < measured.methods.size(); ++m) {
    if (measured.at(dataset, m).mean()) order.push_back(m);
  }
  std::ranges::sort(order, {},
                    [&](std::size_t m) { return std::pair(-goodness(measured, *measured.at(dataset, m).mean()), m); });
  return order;
}

std::string_view significance(bool is_significant) {
  return is_significant ? "significant" : "not significant";
}

// "svm is best on trees (0.5433); the difference to logistic (0.5133) is not significant (p = 0.21)."
std::string dataset_verdict(const MeasuredMethods& measured, const MethodTests& tests, std::size_t dataset) {
  const std::vector<std::size_t> order = by_mean(measured, dataset);
  if (order.empty()) return {};
  const auto named = [&](std::size_t m) {
    return fmt::format("{} ({:.4f})", name_in_quotes(measured.methods[m]), *measured.at(dataset, m).mean());
  };
  if (order.size() == 1) return fmt::format("{} on {}.", named(order[0]), name_in_quotes(measured.datasets[dataset]));
  std::string text = fmt::format("{} is best on {}", named(order[0]), name_in_quotes(measured.datasets[dataset]));
  const auto test = against_best(measured, tests, dataset).tests[order[1]];
  if (!test) return text + fmt::format("; {} follows.", named(order[1]));
  return text + fmt::format("; the difference to {} is {} over the folds ({}).", named(order[1]),
                            significance(test->p_holm < kSignificant), p_text(test->p_holm));
}

std::string wins_sentence(const MeasuredMethods& measured) {
  if (measured.methods.empty()) return {};
  std::vector<std::size_t> wins(measured.methods.size());
  for (std::size_t m = 0; m < wins.size(); ++m) {
    for (std::size_t d = 0; d < measured.datasets.size(); ++d) wins[m] += measured.is_best(d, m) ? 1 : 0;
  }
  const auto most = std::ranges::max_element(wins);
  if (*most == 0) return {};
  return fmt::format("{} is best on {} of {} data sets",
                     name_in_quotes(measured.methods[static_cast<std::size_t>(most - wins.begin())]), *most,
                     measured.datasets.size());
}

}  // namespace

MeasuredMethods without_empty_methods(const MeasuredMethods& measured) {
  std::vector<std::size_t> kept;
  for (std::size_t m = 0; m < measured.methods.size(); ++m) {
    bool has_value = false;
    for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
      has_value = has_value || !measured.at(d, m).cells.empty();
    }
    if (has_value) kept.push_back(m);
  }
  MeasuredMethods result = measured;
  result.methods.clear();
  result.places.clear();
  for (const std::size_t m : kept) result.methods.push_back(measured.methods[m]);
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    for (const std::size_t m : kept) result.places.push_back(measured.at(d, m));
  }
  return result;
}

AgainstBest against_best(const MeasuredMethods& measured, const MethodTests& tests, std::size_t dataset) {
  AgainstBest result;
  result.tests.resize(measured.methods.size());
  while (result.best + 1 < measured.methods.size() && !measured.is_best(dataset, result.best)) ++result.best;
  std::vector<std::size_t> methods;
  std::vector<double> p;
  double folds = 0;
  for (const FoldComparison& pair : tests.folds) {
    if (pair.dataset != dataset || (pair.a != result.best && pair.b != result.best)) continue;
    const bool is_first = pair.a != result.best;
    methods.push_back(is_first ? pair.a : pair.b);
    p.push_back(pair.p);
    folds = std::max(folds, static_cast<double>(pair.folds));
    result.tests[methods.back()] = BestTest{is_first ? pair.difference : -pair.difference, pair.p, 1};
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t k = 0; k < methods.size(); ++k) result.tests[methods[k]]->p_holm = adjusted[k];
  // The smallest p-value that n folds can have is 2 / 2^n.
  result.can_tell = !p.empty() && static_cast<double>(p.size()) * std::pow(2, 1 - folds) < kSignificant;
  return result;
}

std::string verdict(const MeasuredMethods& measured, const MethodTests& tests) {
  if (measured.datasets.size() == 1) return dataset_verdict(measured, tests, 0);
  const std::string wins = wins_sentence(measured);
  if (wins.empty()) return {};
  if (!tests.comparison) return wins + ".";
  const Comparison& found = *tests.comparison;
  const auto best = static_cast<std::size_t>(found.order[0]);
  const auto second = static_cast<std::size_t>(found.order[1]);
  const auto pair = std::ranges::find_if(found.pairs, [&](const PairComparison& one) {
    return static_cast<std::size_t>(one.a) == best && static_cast<std::size_t>(one.b) == second;
  });
  std::string text = fmt::format("{}. By average rank, {} ({:.2f}) comes before {} ({:.2f})", wins,
                                 name_in_quotes(measured.methods[best]), found.ranks.average[best],
                                 name_in_quotes(measured.methods[second]), found.ranks.average[second]);
  if (pair == found.pairs.end()) return text + ".";
  return text + fmt::format("; the difference is {} (Nemenyi, {}).", significance(pair->significant_nemenyi),
                            p_text(pair->nemenyi_p));
}

std::string file_word(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string word;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || is_upper;
    if (is_plain) {
      word += is_upper ? static_cast<char>(c | 0x20) : c;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
    if (word.size() == kLongest) break;
  }
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word;
}

std::string p_text(double p) {
  return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.2g}", p);
}

std::string name_in_quotes(std::string_view name) {
  constexpr double kLongest = 480;  // some 60 letters
  return fmt::format("“{}”", fitted(name, kLongest, 13));
}

std::string figures_html(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"figures\">\n" + figures + "</div>\n";
}

double goodness(const MeasuredMethods& measured, double value) {
  return measured.higher_is_better ? value : -value;
}

PageCell p_cell(double p) {
  return {p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", p), p, {}};
}

PageCell seconds_cell(double seconds) {
  return {seconds < 0.0005 && seconds > 0 ? "< 0.001" : fmt::format("{:.3f}", seconds), seconds, {}};
}

}  // namespace clade
