#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/page/experiment_facts.h"
#include "report/page/series_chart.h"

namespace clade {
namespace {

constexpr double kShortest = 1e-6;  // seconds: what the results tell apart
constexpr std::size_t kMostTimed = 40;

// Means over the folds of a method on a data set.
struct MethodTime {
  Index folds = 0;
  double fit = 0;
  double predict = 0;
  double memory = 0;  // the largest
};

std::vector<MethodTime> method_times(const ExperimentResults& results) {
  std::vector<MethodTime> times(results.datasets.size() * results.methods.size());
  for (const ResultFold& fold : results.folds) {
    MethodTime& time = times[fold.dataset * results.methods.size() + fold.method];
    ++time.folds;
    time.fit += fold.fit_seconds;
    time.predict += fold.predict_seconds;
    time.memory = std::max(time.memory, fold.memory_mib);
  }
  for (MethodTime& time : times) {
    if (time.folds == 0) continue;
    time.fit /= static_cast<double>(time.folds);
    time.predict /= static_cast<double>(time.folds);
  }
  return times;
}

std::vector<std::size_t> by_fit(const std::vector<MethodTime>& times, std::size_t dataset, std::size_t methods) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < methods; ++m) {
    if (times[dataset * methods + m].folds > 0) order.push_back(m);
  }
  std::ranges::sort(order, {}, [&](std::size_t m) { return std::pair(times[dataset * methods + m].fit, m); });
  return order;
}

PageTable times_table(const ExperimentResults& results, const std::vector<MethodTime>& times) {
  PageTable table{"times", "Mean seconds of a fold, and the most memory that the process had in use meanwhile", {}, {}};
  table.columns = {{"method", false, ""},
                   {"data set", false, ""},
                   {"fit", true, "seconds to learn, selection and tuning included"},
                   {"predict", true, "seconds to predict the test part"},
                   {"MiB", true, "of the whole process, with the data"}};
  for (std::size_t d = 0; d < results.datasets.size(); ++d) {
    for (const std::size_t m : by_fit(times, d, results.methods.size())) {
      const MethodTime& time = times[d * results.methods.size() + m];
      table.rows.push_back({text_cell(results.methods[m].name),
                            text_cell(results.datasets[d].name),
                            seconds_cell(time.fit),
                            seconds_cell(time.predict),
                            {fmt::format("{:.1f}", time.memory), time.memory, {}}});
    }
  }
  return table;
}

PageFigure times_figure(const ExperimentResults& results, const std::vector<MethodTime>& times, std::size_t dataset,
                        std::vector<std::size_t> order) {
  const std::size_t methods = results.methods.size();
  const std::string fastest = results.methods[order.front()].name;
  const std::string slowest = results.methods[order.back()].name;
  const double least = times[dataset * methods + order.front()].fit;
  const double most = times[dataset * methods + order.back()].fit;
  RowChart chart{"seconds of a fold", true, {"fit", "predict"}, {}};
  const std::size_t all = order.size();
  if (order.size() > kMostTimed) order.resize(kMostTimed);
  for (const std::size_t m : order) {
    const MethodTime& time = times[dataset * methods + m];
    chart.rows.push_back(
        {results.methods[m].name, {}, false, {std::max(kShortest, time.fit), std::max(kShortest, time.predict)}});
  }
  PageFigure figure;
  figure.name = fmt::format("times-{}", dataset + 1);
  figure.title = fmt::format("{}: seconds", results.datasets[dataset].name);
  figure.explanation = all == 1 ? fmt::format("{} learns in {:.3g} s.", name_in_quotes(fastest), least)
                                : fmt::format("{} learns fastest ({:.3g} s), {} takes longest ({:.3g} s).",
                                              name_in_quotes(fastest), least, name_in_quotes(slowest), most);
  if (all > order.size()) figure.explanation += fmt::format(" The fastest {} of {} are drawn.", order.size(), all);
  figure.description = "Mean seconds to learn and to predict a fold, by method, on a logarithmic axis.";
  figure.svg = row_chart_svg(chart);
  return figure;
}

// ---- convergence

// The history relative to its first value, where that is above 0.
std::vector<SeriesChart::Point> relative_history(const ResultConvergence& history) {
  std::vector<SeriesChart::Point> points;
  const double first = history.objective.front().second;
  for (const auto& [iteration, value] : history.objective) {
    if (iteration > 0) points.push_back({static_cast<double>(iteration), first > 0 ? value / first : value, {}});
  }
  return points;
}

// A selection ranks all features: how many of them the method uses says nothing about it.
std::string selection_name(const ExperimentResults& results, const std::string& method) {
  const auto found = std::ranges::find(results.methods, method, &ResultMethod::name);
  if (found == results.methods.end()) return method;
  std::string name = found->recipe;
  for (const auto& [key, value] : found->parameters) {
    if (key != "top") name += fmt::format(" {}={}", key, value);
  }
  return results.taxonomies.size() > 1 ? name + " @" + found->taxonomy : name;
}

std::string convergence_figure(const ExperimentResults& results, const std::string& dataset, std::size_t number) {
  SeriesChart chart;
  chart.x_title = "iteration";
  chart.y_title = "objective, first = 1";
  chart.has_marks = false;
  chart.y_is_log = true;
  std::size_t all = 0;
  const ResultConvergence* least = nullptr;
  double least_value = HUGE_VAL;
  double iterations = 0;
  for (const ResultConvergence& history : results.convergence) {
    if (history.dataset != dataset || history.objective.size() < 2 || !(history.objective.front().second > 0)) continue;
    const std::vector<SeriesChart::Point> points = relative_history(history);
    if (points.empty()) continue;
    ++all;
    if (points.back().y < least_value) {
      least_value = points.back().y;
      least = &history;
    }
    if (chart.lines.size() == kMostLines) continue;
    for (const SeriesChart::Point& point : points) {
      chart.y_is_log = chart.y_is_log && point.y > 0;
      iterations = std::max(iterations, point.x);
    }
    chart.lines.push_back({selection_name(results, history.method), points});
  }
  if (chart.lines.empty()) return {};
  constexpr double kManyIterations = 100;
  chart.x_is_log = iterations > kManyIterations;
  PageFigure figure;
  figure.name = fmt::format("convergence-{}", number);
  figure.title = fmt::format("{}: what the selection minimises", dataset);
  const std::string falls = name_in_quotes(selection_name(results, least->method));
  figure.explanation = all == 1 ? fmt::format("{} falls to {:.2g} of its first value.", falls, least_value)
                                : fmt::format("{} falls furthest: to {:.2g} of its first value.", falls, least_value);
  if (all > chart.lines.size()) {
    figure.explanation += fmt::format(" The first {} of {} are drawn.", chart.lines.size(), all);
  }
  figure.description = "Objective of the selection against iterations, relative to the first.";
  figure.svg = series_chart_svg(chart);
  figure.numbers = {figure.name, figure.title, {}, {}};
  figure.numbers.columns = {{"method", false, ""}, {"iteration", true, ""}, {"objective, first = 1", true, ""}};
  for (const SeriesChart::Line& line : chart.lines) {
    for (const SeriesChart::Point& point : line.points) {
      figure.numbers.rows.push_back({text_cell(line.name),
                                     count_cell(static_cast<Index>(point.x)),
                                     {fmt::format("{:.6g}", point.y), point.y, {}}});
    }
  }
  return figure_html(figure);
}

// ---- tuning

struct TunedChoice {
  std::size_t method = 0;
  std::size_t dataset = 0;
  std::map<std::string, Index> counts;
  Index folds = 0;
};

std::vector<TunedChoice> tuned_choices(const ExperimentResults& results) {
  std::map<std::pair<std::size_t, std::size_t>, TunedChoice> choices;
  for (const ResultFold& fold : results.folds) {
    if (fold.tuned.empty()) continue;
    TunedChoice& choice = choices[{fold.method, fold.dataset}];
    choice.method = fold.method;
    choice.dataset = fold.dataset;
    ++choice.counts[fold.tuned];
    ++choice.folds;
  }
  std::vector<TunedChoice> list;
  for (auto& [key, choice] : choices) list.push_back(std::move(choice));
  return list;
}

}  // namespace

std::string times_body(const ExperimentFacts& facts) {
  const std::vector<MethodTime> times = method_times(facts.results);
  std::string figures;
  for (std::size_t d = 0; d < facts.results.datasets.size(); ++d) {
    const std::vector<std::size_t> order = by_fit(times, d, facts.results.methods.size());
    if (!order.empty()) figures += figure_html(times_figure(facts.results, times, d, order));
  }
  if (figures.empty()) return {};
  return figures_html(figures) + table_html(times_table(facts.results, times));
}

std::string quality_time_body(const ExperimentFacts& facts, std::size_t measure) {
  const MeasuredMethods& measured = facts.measured[measure];
  const std::vector<MethodTime> times = method_times(facts.results);
  std::string figures;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    ScatterChart chart{"seconds to learn a fold", measured.measure, true, {}};
    std::optional<std::size_t> best;
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      const auto mean = measured.at(d, m).mean();
      const MethodTime& time = times[d * measured.methods.size() + m];
      if (!mean) continue;
      chart.points.push_back({std::max(kShortest, time.fit), *mean, measured.methods[m]});
      const bool is_better = !best || goodness(measured, *mean) > goodness(measured, chart.points[*best].y);
      if (is_better) best = chart.points.size() - 1;
    }
    if (chart.points.size() < 2) continue;
    const auto slower = std::ranges::count_if(
        chart.points, [&](const ScatterChart::Point& point) { return point.x > chart.points[*best].x; });
    PageFigure figure;
    figure.name = fmt::format("quality-time-{}-{}", file_word(measured.measure), d + 1);
    figure.title = fmt::format("{}: {} against time", measured.datasets[d], measured.measure);
    figure.explanation =
        fmt::format("The best, {}, learns in {:.3g} s; {} of the other {} methods take longer.",
                    name_in_quotes(chart.points[*best].name), chart.points[*best].x, slower, chart.points.size() - 1);
    figure.description = fmt::format("{} of every method against the seconds that it learns.", measured.measure);
    figure.svg = scatter_chart_svg(chart);
    figures += figure_html(figure);
  }
  return figures_html(figures);
}

std::string convergence_body(const ExperimentFacts& facts) {
  std::string figures;
  for (std::size_t d = 0; d < facts.results.datasets.size(); ++d) {
    figures += convergence_figure(facts.results, facts.results.datasets[d].name, d + 1);
  }
  return figures_html(figures);
}

std::string tuned_body(const ExperimentFacts& facts) {
  const ExperimentResults& results = facts.results;
  PageTable table{"tuned", "What tuning chose, by method and data set", {}, {}};
  table.columns = {{"method", false, ""},
                   {"data set", false, ""},
                   {"chosen", false, ""},
                   {"folds", true, ""},
                   {"share", true, "of the folds"}};
  std::string sentences;
  constexpr std::size_t kMostSentences = 8;
  std::size_t count = 0;
  for (const TunedChoice& choice : tuned_choices(results)) {
    std::vector<std::pair<std::string, Index>> ordered(choice.counts.begin(), choice.counts.end());
    std::ranges::sort(ordered, {}, [](const auto& entry) { return std::pair(-entry.second, entry.first); });
    if (++count <= kMostSentences) {
      sentences +=
          fmt::format("<li>{}</li>\n", html_escaped(fmt::format("{} on {}: {} in {} of {} folds.",
                                                                name_in_quotes(results.methods[choice.method].name),
                                                                name_in_quotes(results.datasets[choice.dataset].name),
                                                                ordered[0].first, ordered[0].second, choice.folds)));
    }
    for (const auto& [text, folds] : ordered) {
      table.rows.push_back({text_cell(results.methods[choice.method].name),
                            text_cell(results.datasets[choice.dataset].name), text_cell(text), count_cell(folds),
                            share_cell(folds, choice.folds)});
    }
  }
  if (table.rows.empty()) return {};
  return fmt::format("<ul class=\"sentences\">\n{}</ul>\n", sentences) + table_html(table);
}

}  // namespace clade
