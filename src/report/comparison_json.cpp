#include <cmath>
#include <nlohmann/json.hpp>

#include "report/comparison_report.h"

namespace clade {
namespace {

using nlohmann::json;

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

json comparison_json(const ComparisonReport& report) {
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
  return document;
}

}  // namespace clade
