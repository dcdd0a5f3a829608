#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "report/page/chart_axis.h"
#include "report/page/experiment_facts.h"
#include "report/page/heat_map.h"
#include "report/page/series_chart.h"

namespace clade {
namespace {

// ---- methods by their parameters

constexpr std::string_view kTop = "top";

struct ParameterNumber {
  double value = 0;
  bool is_share = false;  // "50%"
};

std::optional<ParameterNumber> parameter_number(std::string_view text) {
  ParameterNumber number;
  if (text.ends_with('%')) {
    number.is_share = true;
    text.remove_suffix(1);
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number.value)) return std::nullopt;
  return number;
}

std::optional<std::string> parameter_of(const ResultMethod& method, std::string_view name) {
  for (const auto& [key, value] : method.parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

// Methods of one recipe and taxonomy that differ only in some parameters.
struct MethodFamily {
  std::string name;
  std::vector<std::size_t> methods;
};

std::vector<MethodFamily> families_of(const ExperimentResults& results, const std::set<std::string, std::less<>>& free,
                                      std::optional<std::string_view> recipe = std::nullopt) {
  std::vector<MethodFamily> families;
  std::map<std::string, std::size_t> places;
  for (std::size_t m = 0; m < results.methods.size(); ++m) {
    const ResultMethod& method = results.methods[m];
    if (recipe && method.recipe != *recipe) continue;
    bool has_all = true;
    for (const std::string& name : free) has_all = has_all && parameter_of(method, name).has_value();
    if (!has_all) continue;
    std::string name = method.recipe;
    for (const auto& [key, value] : method.parameters) {
      if (!free.contains(key)) name += fmt::format(" {}={}", key, value);
    }
    if (results.taxonomies.size() > 1) name += " @" + method.taxonomy;
    const auto [entry, is_new] = places.emplace(name + '\n' + method.taxonomy, families.size());
    if (is_new) families.push_back({name, {}});
    families[entry->second].methods.push_back(m);
  }
  return families;
}

// ---- lines

// Keeps the lines with the best points, in their order.
void keep_best_lines(SeriesChart& chart, const MeasuredMethods& measured) {
  if (chart.lines.size() <= kMostLines) return;
  std::vector<std::pair<double, std::size_t>> best;
  for (std::size_t k = 0; k < chart.lines.size(); ++k) {
    double highest = -HUGE_VAL;
    for (const SeriesChart::Point& point : chart.lines[k].points) {
      highest = std::max(highest, goodness(measured, point.y));
    }
    best.emplace_back(-highest, k);
  }
  std::ranges::sort(best);
  best.resize(kMostLines);
  std::vector<std::size_t> kept;
  for (const auto& entry : best) kept.push_back(entry.second);
  std::ranges::sort(kept);
  std::vector<SeriesChart::Line> lines;
  for (const std::size_t k : kept) lines.push_back(std::move(chart.lines[k]));
  chart.lines = std::move(lines);
}

PageTable points_table(const SeriesChart& chart, const std::string& name, const std::string& caption) {
  PageTable table{name, caption, {}, {}};
  table.columns = {{"line", false, ""}, {chart.x_title, true, ""}, {chart.y_title, true, ""}, {"deviation", true, ""}};
  for (const SeriesChart::Line& line : chart.lines) {
    for (const SeriesChart::Point& point : line.points) {
      table.rows.push_back({text_cell(line.name),
                            {tick_label(point.x), point.x, {}},
                            number_cell(point.y),
                            number_cell(point.deviation)});
    }
  }
  return table;
}

struct BestPoint {
  const SeriesChart::Line* line = nullptr;
  SeriesChart::Point point;
};

BestPoint best_point(const SeriesChart& chart, const MeasuredMethods& measured) {
  BestPoint best;
  for (const SeriesChart::Line& line : chart.lines) {
    for (const SeriesChart::Point& point : line.points) {
      if (best.line == nullptr || goodness(measured, point.y) > goodness(measured, best.point.y)) best = {&line, point};
    }
  }
  return best;
}

// Sorts the points, drops lines without a second one, and chooses the axis. False: there is nothing to draw.
bool finish_lines(SeriesChart& chart, const MeasuredMethods& measured) {
  std::erase_if(chart.lines, [](const SeriesChart::Line& line) { return line.points.size() < 2; });
  if (chart.lines.empty()) return false;
  std::vector<double> values;
  for (SeriesChart::Line& line : chart.lines) {
    std::ranges::sort(line.points, {}, [](const SeriesChart::Point& point) { return std::pair(point.x, point.y); });
    for (const SeriesChart::Point& point : line.points) values.push_back(point.x);
  }
  chart.x_is_log = suits_log(values);
  keep_best_lines(chart, measured);
  return true;
}

std::string lines_note(std::size_t drawn, std::size_t all) {
  std::string text = drawn < all ? fmt::format(" The best {} of {} lines are drawn.", drawn, all) : "";
  return drawn > kMostDeviations ? text + " Deviations are among the numbers." : text;
}

void add_point(SeriesChart::Line& line, double x, const MeasuredMethods::Place& place) {
  if (const auto mean = place.mean()) line.points.push_back({x, *mean, place.deviation()});
}

Index features_of(const ExperimentResults& results, std::size_t dataset) {
  const auto found = std::ranges::find(results.data, results.datasets[dataset].data, &RunData::name);
  return found == results.data.end() ? 0 : found->features;
}

// ---- features

struct FeatureAxis {
  std::string title;
  bool in_shares = false;  // numbers are in per cent, for shares of an unknown number
  Index features = 0;

  std::optional<double> place(const std::string& top) const {
    const auto number = parameter_number(top);
    if (!number) return std::nullopt;
    if (in_shares || !number->is_share)
      return number->is_share == in_shares ? std::optional(number->value) : std::nullopt;
    if (features == 0) return std::nullopt;
    return std::max(1.0, std::round(number->value / 100 * static_cast<double>(features)));
  }
};

FeatureAxis feature_axis(const ExperimentResults& results, std::size_t dataset,
                         const std::vector<MethodFamily>& families) {
  bool all_shares = true;
  for (const MethodFamily& family : families) {
    for (const std::size_t m : family.methods) {
      all_shares = all_shares && parameter_of(results.methods[m], kTop)->ends_with('%');
    }
  }
  const Index features = features_of(results, dataset);
  const bool in_shares = all_shares && features == 0;
  return {in_shares ? "features at each node, in per cent" : "features at each node", in_shares, features};
}

// ---- parameters

// The values of a parameter among some methods, ascending.
std::vector<std::string> parameter_values(const ExperimentResults& results, const std::vector<std::size_t>& methods,
                                          const std::string& name) {
  std::vector<std::string> values;
  for (const std::size_t m : methods) {
    const auto value = parameter_of(results.methods[m], name);
    if (value && std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  std::ranges::sort(values, {}, [](const std::string& text) { return std::pair(parameter_number(text)->value, text); });
  return values;
}

// The parameters of a recipe that take several numbers and nothing else.
std::vector<std::string> numeric_parameters(const ExperimentResults& results, const std::string& recipe) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> values;
  std::set<std::string> others;
  for (const ResultMethod& method : results.methods) {
    if (method.recipe != recipe) continue;
    for (const auto& [key, value] : method.parameters) {
      if (values[key].empty()) names.push_back(key);
      values[key].insert(value);
      if (!parameter_number(value)) others.insert(key);
    }
  }
  std::erase_if(names, [&](const std::string& name) { return values[name].size() < 2 || others.contains(name); });
  return names;
}

std::string parameter_curves(const ExperimentFacts& facts, std::size_t measure, const std::string& recipe,
                             const std::string& parameter) {
  const MeasuredMethods& measured = facts.measured[measure];
  const std::vector<MethodFamily> families = families_of(facts.results, {parameter}, recipe);
  std::string figures;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    SeriesChart chart;
    chart.x_title = parameter;
    chart.y_title = measured.measure;
    for (const MethodFamily& family : families) {
      SeriesChart::Line& line = chart.lines.emplace_back();
      line.name = family.name;
      for (const std::size_t m : family.methods) {
        add_point(line, parameter_number(*parameter_of(facts.results.methods[m], parameter))->value, measured.at(d, m));
      }
    }
    const std::size_t all = chart.lines.size();
    if (!finish_lines(chart, measured)) continue;
    const BestPoint best = best_point(chart, measured);
    double worst = best.point.y;
    for (const SeriesChart::Point& point : best.line->points) {
      if (goodness(measured, point.y) < goodness(measured, worst)) worst = point.y;
    }
    PageFigure figure;
    figure.name =
        fmt::format("sensitivity-{}-{}-{}", file_word(measured.measure), file_word(recipe + " " + parameter), d + 1);
    figure.title = fmt::format("{}: {} of {} by {}", measured.datasets[d], measured.measure, recipe, parameter);
    figure.explanation = fmt::format("Best at {} = {} ({:.4f}); the worst value is off by {:.4f}.{}", parameter,
                                     tick_label(best.point.x), best.point.y, std::abs(best.point.y - worst),
                                     lines_note(chart.lines.size(), all));
    figure.description = fmt::format("{} against {}.", measured.measure, parameter);
    figure.svg = series_chart_svg(chart);
    figure.numbers = points_table(chart, figure.name, figure.title);
    figures += figure_html(figure);
  }
  return figures;
}

// Which parameters are rows, columns and panels of a heat map; over all others the best value is taken.
struct HeatAxes {
  std::string rows;
  std::string columns;
  std::string panels;
  std::vector<std::string> others;
};

HeatAxes heat_axes(const ExperimentResults& results, const MethodFamily& family, std::vector<std::string> names) {
  HeatAxes axes;
  const auto count = [&](const std::string& name) { return parameter_values(results, family.methods, name).size(); };
  if (names.size() > 3) {
    std::ranges::sort(names, std::greater(), [&](const std::string& name) { return std::pair(count(name), name); });
    axes.others.assign(names.begin() + 2, names.end());
    names.resize(2);
  }
  if (names.size() == 3) {
    auto panel = std::ranges::find(names, kTop);
    if (panel == names.end()) panel = std::ranges::min_element(names, {}, count);
    axes.panels = *panel;
    names.erase(panel);
  }
  axes.rows = names[0];
  axes.columns = names[1];
  constexpr std::size_t kMostColumns = 8;
  if (count(axes.columns) > kMostColumns && count(axes.rows) <= kMostColumns) std::swap(axes.rows, axes.columns);
  return axes;
}

std::string heat_figure(const ExperimentFacts& facts, std::size_t measure, const MethodFamily& family,
                        const HeatAxes& axes, std::size_t dataset) {
  const MeasuredMethods& measured = facts.measured[measure];
  const ExperimentResults& results = facts.results;
  HeatMap map{.row_title = axes.rows,
              .column_title = axes.columns,
              .rows = parameter_values(results, family.methods, axes.rows),
              .columns = parameter_values(results, family.methods, axes.columns),
              .higher_is_better = measured.higher_is_better,
              .panels = {}};
  std::vector<std::string> panels{""};
  if (!axes.panels.empty()) panels = parameter_values(results, family.methods, axes.panels);
  constexpr std::size_t kMostCells = 20'000;  // of combinations that may not have been tried
  if (map.rows.size() * map.columns.size() * panels.size() > kMostCells) return {};
  for (const std::string& panel : panels) {
    map.panels.push_back({fmt::format("{} = {}", axes.panels, panel),
                          std::vector<std::optional<double>>(map.rows.size() * map.columns.size())});
  }
  const auto place = [](const std::vector<std::string>& values, const std::optional<std::string>& value) {
    return static_cast<std::size_t>(std::ranges::find(values, *value) - values.begin());
  };
  std::optional<std::size_t> best;
  std::size_t cells = 0;
  PageTable numbers{"", "", {{"method", false, ""}, {measured.measure, true, ""}, {"deviation", true, ""}}, {}};
  for (const std::size_t m : family.methods) {
    const auto mean = measured.at(dataset, m).mean();
    if (!mean) continue;
    ++cells;
    const ResultMethod& method = results.methods[m];
    const std::size_t panel = axes.panels.empty() ? 0 : place(panels, parameter_of(method, axes.panels));
    auto& cell = map.panels[panel].values[place(map.rows, parameter_of(method, axes.rows)) * map.columns.size() +
                                          place(map.columns, parameter_of(method, axes.columns))];
    if (!cell || goodness(measured, *mean) > goodness(measured, *cell)) cell = mean;
    if (!best || goodness(measured, *mean) > goodness(measured, *measured.at(dataset, *best).mean())) best = m;
    numbers.rows.push_back(
        {text_cell(method.name), number_cell(mean), number_cell(measured.at(dataset, m).deviation())});
  }
  if (cells < 2) return {};
  std::string others;
  for (const std::string& name : axes.others) others += fmt::format("{}{}", others.empty() ? "" : ", ", name);
  PageFigure figure;
  figure.name = fmt::format("surface-{}-{}-{}", file_word(measured.measure), file_word(family.name), dataset + 1);
  figure.title = fmt::format("{}: {} of {}", measured.datasets[dataset], measured.measure, family.name);
  figure.explanation = fmt::format("The stronger the colour, the better; framed: the best, {} ({:.4f}).",
                                   name_in_quotes(results.methods[*best].name), *measured.at(dataset, *best).mean());
  if (!others.empty()) figure.explanation += fmt::format(" Every cell has the best over {}.", others);
  figure.description = fmt::format("{} over {} and {}.", measured.measure, axes.rows, axes.columns);
  figure.svg = heat_map_svg(map);
  numbers.name = figure.name;
  numbers.caption = figure.title;
  figure.numbers = std::move(numbers);
  return figure_html(figure);
}

std::string heat_figures(const ExperimentFacts& facts, std::size_t measure, const std::string& recipe,
                         const std::vector<std::string>& names) {
  std::string figures;
  for (const MethodFamily& family : families_of(facts.results, {names.begin(), names.end()}, recipe)) {
    const HeatAxes axes = heat_axes(facts.results, family, names);
    for (std::size_t d = 0; d < facts.results.datasets.size(); ++d) {
      figures += heat_figure(facts, measure, family, axes, d);
    }
  }
  return figures;
}

}  // namespace

std::string features_body(const ExperimentFacts& facts, std::size_t measure) {
  const MeasuredMethods& measured = facts.measured[measure];
  std::vector<MethodFamily> families = families_of(facts.results, {std::string(kTop)});
  std::erase_if(families, [](const MethodFamily& family) { return family.methods.size() < 2; });
  std::string figures;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    const FeatureAxis axis = feature_axis(facts.results, d, families);
    SeriesChart chart;
    chart.x_title = axis.title;
    chart.y_title = measured.measure;
    for (const MethodFamily& family : families) {
      SeriesChart::Line& line = chart.lines.emplace_back();
      line.name = family.name;
      for (const std::size_t m : family.methods) {
        const auto x = axis.place(*parameter_of(facts.results.methods[m], kTop));
        if (x) add_point(line, *x, measured.at(d, m));
      }
    }
    const std::size_t all = chart.lines.size();
    if (!finish_lines(chart, measured)) continue;
    const BestPoint best = best_point(chart, measured);
    PageFigure figure;
    figure.name = fmt::format("features-{}-{}", file_word(measured.measure), d + 1);
    figure.title = fmt::format("{}: {} by number of features", measured.datasets[d], measured.measure);
    figure.explanation = fmt::format("{} with {}{} features is best ({:.4f}).{}", name_in_quotes(best.line->name),
                                     tick_label(best.point.x), axis.in_shares ? " % of the" : "", best.point.y,
                                     lines_note(chart.lines.size(), all));
    figure.description = fmt::format("{} against the number of features, a line per method.", measured.measure);
    figure.svg = series_chart_svg(chart);
    figure.numbers = points_table(chart, figure.name, figure.title);
    figures += figure_html(figure);
  }
  return figures_html(figures);
}

std::string learning_body(const ExperimentFacts& facts, std::size_t measure) {
  const MeasuredMethods& measured = facts.measured[measure];
  std::vector<std::string> names;
  for (const ResultDataset& dataset : facts.results.datasets) {
    if (dataset.per_class > 0 && std::ranges::find(names, dataset.data) == names.end()) names.push_back(dataset.data);
  }
  std::string figures;
  for (std::size_t n = 0; n < names.size(); ++n) {
    SeriesChart chart;
    chart.x_title = "training samples of each class";
    chart.y_title = measured.measure;
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      SeriesChart::Line& line = chart.lines.emplace_back();
      line.name = measured.methods[m];
      for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
        const ResultDataset& dataset = facts.results.datasets[d];
        if (dataset.data == names[n]) add_point(line, static_cast<double>(dataset.per_class), measured.at(d, m));
      }
    }
    const std::size_t all = chart.lines.size();
    if (!finish_lines(chart, measured)) continue;
    const BestPoint best = best_point(chart, measured);
    const SeriesChart::Point& first = best.line->points.front();
    PageFigure figure;
    figure.name = fmt::format("learning-{}-{}", file_word(measured.measure), n + 1);
    figure.title = fmt::format("{}: {} by number of training samples", names[n], measured.measure);
    figure.explanation = fmt::format("{} is best: {:.4f} with {}, {:.4f} with {} samples of each class.{}",
                                     name_in_quotes(best.line->name), first.y, tick_label(first.x), best.point.y,
                                     tick_label(best.point.x), lines_note(chart.lines.size(), all));
    figure.description = fmt::format("{} against samples per class, a line per method.", measured.measure);
    figure.svg = series_chart_svg(chart);
    figure.numbers = points_table(chart, figure.name, figure.title);
    figures += figure_html(figure);
  }
  return figures_html(figures);
}

std::string sensitivity_body(const ExperimentFacts& facts, std::size_t measure) {
  std::vector<std::string> recipes;
  for (const ResultMethod& method : facts.results.methods) {
    if (std::ranges::find(recipes, method.recipe) == recipes.end()) recipes.push_back(method.recipe);
  }
  std::string figures;
  for (const std::string& recipe : recipes) {
    const std::vector<std::string> names = numeric_parameters(facts.results, recipe);
    if (names.size() == 1 && names[0] != kTop) figures += parameter_curves(facts, measure, recipe, names[0]);
    if (names.size() > 1) figures += heat_figures(facts, measure, recipe, names);
  }
  return figures_html(figures);
}

}  // namespace clade
