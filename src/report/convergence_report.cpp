#include "report/convergence_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/series_chart.h"

namespace clade {

std::string convergence_csv(const FeatureRanking& ranking) {
  std::string text = "iteration,objective";
  for (const auto& [name, values] : ranking.residuals) text += "," + name;
  text += "\n";
  for (std::size_t k = 0; k < ranking.objective.size(); ++k) {
    text += fmt::format("{},{}", k + 1, ranking.objective[k]);
    for (const auto& [name, values] : ranking.residuals) {
      text += k < values.size() ? fmt::format(",{}", values[k]) : ",";
    }
    text += "\n";
  }
  return text;
}

std::string convergence_svg(const FeatureRanking& ranking) {
  constexpr std::size_t kManyIterations = 100;
  constexpr std::size_t kFewMarks = 30;
  SeriesChart chart;
  chart.x_title = "iteration";
  chart.y_title = "objective of " + ranking.method;
  chart.x_is_log = ranking.objective.size() > kManyIterations;
  chart.has_marks = ranking.objective.size() <= kFewMarks;
  chart.y_is_log = true;
  SeriesChart::Line& line = chart.lines.emplace_back();
  line.name = ranking.method;
  for (std::size_t k = 0; k < ranking.objective.size(); ++k) {
    if (!std::isfinite(ranking.objective[k])) continue;
    chart.y_is_log = chart.y_is_log && ranking.objective[k] > 0;
    line.points.push_back({static_cast<double>(k + 1), ranking.objective[k], {}});
  }
  if (line.points.empty()) line.points.push_back({1, 0, {}});
  return series_chart_svg(chart);
}

}  // namespace clade
