#include "report/page/series_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/page/chart_axis.h"
#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kSeriesFont = 13;
constexpr double kSeriesWidth = 560;
constexpr double kSeriesLeft = 66;
constexpr double kSeriesRight = 22;
constexpr double kSeriesTop = 14;
constexpr double kSeriesHeight = 250;  // of the plot
constexpr double kSeriesAcross = kSeriesWidth - kSeriesLeft - kSeriesRight;
constexpr double kTitleRoom = 46;  // ticks and title of the axis
constexpr double kNearestTicks = 36;
constexpr std::size_t kMostBands = 3;

struct NumberRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The plotting area with its two scales.
struct SeriesArea {
  ChartScale x;
  ChartScale y;
  double across(double value) const { return kSeriesLeft + kSeriesAcross * x.share(value); }
  double down(double value) const { return kSeriesTop + kSeriesHeight * (1 - y.share(value)); }
};

SeriesArea area_of(const SeriesChart& chart) {
  NumberRange x;
  NumberRange y;
  for (const SeriesChart::Line& line : chart.lines) {
    for (const SeriesChart::Point& point : line.points) {
      const double deviation = chart.y_is_log ? 0 : point.deviation.value_or(0);
      x.add(point.x);
      y.add(point.y - deviation);
      y.add(point.y + deviation);
    }
  }
  return {scale_of(x.low, x.high, chart.x_is_log), scale_of(y.low, y.high, chart.y_is_log)};
}

// Ticks at the values themselves where they are few.
std::vector<double> across_ticks(const SeriesChart& chart, const SeriesArea& area) {
  constexpr std::size_t kMostOwn = 10;
  std::vector<double> values;
  for (const SeriesChart::Line& line : chart.lines) {
    for (const SeriesChart::Point& point : line.points) values.push_back(point.x);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > kMostOwn) return area.x.ticks(6);
  std::vector<double> apart;
  for (const double value : values) {
    if (apart.empty() || area.across(value) - area.across(apart.back()) >= kNearestTicks) apart.push_back(value);
  }
  return apart;
}

std::string frame_svg(const SeriesArea& area, const std::vector<double>& x_ticks, std::string_view x_title,
                      std::string_view y_title) {
  std::string text;
  for (const double y : area.y.ticks(5)) {
    text += chart_grid_line(kSeriesLeft, area.down(y), kSeriesLeft + kSeriesAcross, area.down(y));
    text += chart_text(kSeriesLeft - 8, area.down(y) + 4.5, "end", tick_label(y));
  }
  const double bottom = kSeriesTop + kSeriesHeight;
  for (const double x : x_ticks) {
    text += chart_axis_line(area.across(x), bottom, area.across(x), bottom + 4);
    text += chart_text(area.across(x), bottom + 19, "middle", tick_label(x));
  }
  return text + chart_axis_line(kSeriesLeft, bottom, kSeriesLeft + kSeriesAcross, bottom) +
         chart_text(kSeriesLeft + kSeriesAcross / 2, bottom + 38, "middle", x_title) +
         chart_upright_text(14, kSeriesTop + kSeriesHeight / 2, y_title);
}

std::string band_svg(const SeriesArea& area, const SeriesChart::Line& line, std::size_t number) {
  std::string upper;
  std::string lower;
  for (const SeriesChart::Point& point : line.points) {
    if (!point.deviation) continue;
    upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", area.across(point.x),
                         area.down(point.y + *point.deviation));
    lower = fmt::format("L{:.1f} {:.1f}", area.across(point.x), area.down(point.y - *point.deviation)) + lower;
  }
  if (upper.empty()) return {};
  return fmt::format("<path {} fill-opacity=\"0.14\" d=\"{}{}Z\"/>\n", chart_fill_style(number), upper, lower);
}

// Bars that would stand on each other are moved apart.
std::string bars_svg(const SeriesArea& area, const SeriesChart::Line& line, std::size_t number, double aside) {
  std::string path;
  for (const SeriesChart::Point& point : line.points) {
    if (!point.deviation) continue;
    const double x = area.across(point.x) + aside;
    path += fmt::format("M{0:.1f} {1:.1f}V{2:.1f}m-3 0h6M{3:.1f} {1:.1f}h6", x, area.down(point.y - *point.deviation),
                        area.down(point.y + *point.deviation), x - 3);
  }
  if (path.empty()) return {};
  return fmt::format("<path {} stroke-opacity=\"0.55\" fill=\"none\" d=\"{}\"/>\n", chart_solid_line_style(number),
                     path);
}

std::string points_svg(const SeriesArea& area, const SeriesChart& chart, std::size_t number, double aside) {
  const SeriesChart::Line& line = chart.lines[number];
  std::string path;
  std::string marks;
  for (const SeriesChart::Point& point : line.points) {
    const double x = area.across(point.x) + aside;
    const double y = area.down(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    if (!chart.has_marks) continue;
    const std::string deviation = point.deviation ? fmt::format(" ± {:.4g}", *point.deviation) : "";
    marks +=
        fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}: {:g}, {:.4g}{}</title></circle>\n",
                    chart_fill_style(number), x, y, svg_escaped(line.name), point.x, point.y, deviation);
  }
  return fmt::format("<path {} stroke-width=\"2\" stroke-linejoin=\"round\" fill=\"none\" d=\"{}\"/>\n",
                     chart_line_style(number), path) +
         marks;
}

// ---- rows

constexpr double kRowHeight = 24;
constexpr double kMostRowNames = 225;
constexpr double kRowNameFont = 13;

double quantile(const std::vector<double>& ascending, double share) {
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, ascending.size() - 1);
  return ascending[low] + (place - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

std::string box_svg(const RowChart::Row& row, const auto& across, double y) {
  std::vector<double> values = row.values;
  std::ranges::sort(values);
  const double low = across(quantile(values, 0.25));
  const double middle = across(quantile(values, 0.5));
  const double high = across(quantile(values, 0.75));
  return fmt::format(
      "<path class=\"fill0\" fill=\"#0072b2\" fill-opacity=\"0.18\" d=\"M{0:.1f} {1:.1f}H{2:.1f}v14H{0:.1f}Z\"/>\n"
      "<path class=\"line0\" stroke=\"#0072b2\" stroke-width=\"2.5\" d=\"M{3:.1f} {1:.1f}v14\"/>\n",
      low, y - 7, high, middle);
}

std::string dots_svg(const RowChart::Row& row, const auto& across, double y) {
  if (row.values.empty()) return {};
  std::string path;
  for (const double value : row.values) path += fmt::format("M{:.1f} {:.1f}h0", across(value), y);
  return fmt::format(
      "<path class=\"line0 dots\" stroke=\"#0072b2\" stroke-width=\"5\" stroke-linecap=\"round\" "
      "stroke-opacity=\"0.6\" d=\"{}\"/>\n",
      path);
}

// ---- scatter

struct LabelBox {
  double x1;
  double y1;
  double x2;
  double y2;
  bool meets(const LabelBox& other) const { return x1 < other.x2 && other.x1 < x2 && y1 < other.y2 && other.y1 < y2; }
  bool is_inside() const {
    return x1 >= kSeriesLeft && x2 <= kSeriesWidth && y1 >= 0 && y2 <= kSeriesTop + kSeriesHeight;
  }
};

// The name of a point beside it, where nothing else is.
std::string name_svg(const std::string& name, double x, double y, std::vector<LabelBox>& taken) {
  const std::string text = fitted(name, 215, kSeriesFont);
  const double width = chart_text_width(text, kSeriesFont);
  struct Try {
    double dx;
    double dy;
    std::string_view anchor;
  };
  for (const Try& place : {Try{8, 4.5, "start"}, Try{-8, 4.5, "end"}, Try{0, -8, "middle"}, Try{0, 18, "middle"},
                           Try{8, -7, "start"}, Try{8, 16, "start"}, Try{-8, -7, "end"}, Try{-8, 16, "end"}}) {
    const double left = x + place.dx - (place.anchor == "end" ? width : place.anchor == "middle" ? width / 2 : 0);
    const LabelBox box{left, y + place.dy - 10, left + width, y + place.dy + 3};
    if (!box.is_inside() || std::ranges::any_of(taken, [&](const LabelBox& other) { return other.meets(box); })) {
      continue;
    }
    taken.push_back(box);
    return chart_text(x + place.dx, y + place.dy, place.anchor, text);
  }
  return {};
}

}  // namespace

std::string series_chart_svg(const SeriesChart& chart) {
  const SeriesArea area = area_of(chart);
  std::string body = frame_svg(area, across_ticks(chart, area), chart.x_title, chart.y_title);
  const std::size_t count = chart.lines.size();
  const bool has_bands = count <= kMostBands;
  const auto aside = [&](std::size_t k) {
    return has_bands || !chart.has_marks || count > kMostDeviations
               ? 0.0
               : 3 * (static_cast<double>(k) - static_cast<double>(count - 1) / 2);
  };
  for (std::size_t k = 0; k < count && count <= kMostDeviations && !chart.y_is_log; ++k) {
    body += has_bands ? band_svg(area, chart.lines[k], k) : bars_svg(area, chart.lines[k], k, aside(k));
  }
  for (std::size_t k = 0; k < count; ++k) body += points_svg(area, chart, k, aside(k));
  std::vector<std::string> names;
  for (const SeriesChart::Line& line : chart.lines) names.push_back(line.name);
  const double below = kSeriesTop + kSeriesHeight + kTitleRoom;
  double legend = 0;
  if (count > 1) body += chart_legend(names, kSeriesLeft, below, kSeriesAcross, true, legend);
  return svg_document(kSeriesWidth, below + legend + 6, kSeriesFont, body);
}

std::string row_chart_svg(const RowChart& chart) {
  NumberRange range;
  double names = 60;
  for (const RowChart::Row& row : chart.rows) {
    for (const double value : row.values) range.add(value);
    for (const auto& mark : row.marks) {
      if (mark) range.add(*mark);
    }
    names = std::max(names, chart_text_width(row.name, kRowNameFont));
  }
  const double left = std::min(names, kMostRowNames) + 14;
  const double width = kSeriesWidth - left - kSeriesRight;
  const ChartScale scale = scale_of(range.low, range.high, chart.is_log);
  const auto across = [&](double value) { return left + width * scale.share(value); };
  std::string body;
  double top = 6;
  if (!chart.marks.empty()) {
    double legend = 0;
    body += chart_legend(chart.marks, left, top, width, false, legend);
    top += legend + 4;
  }
  const double bottom = top + kRowHeight * static_cast<double>(chart.rows.size());
  double last = -kSeriesWidth;
  for (const double tick : scale.ticks(5)) {
    body += chart_grid_line(across(tick), top, across(tick), bottom);
    if (across(tick) - last < 42) continue;
    last = across(tick);
    body += chart_text(last, bottom + 19, "middle", tick_label(tick));
  }
  for (std::size_t k = 0; k < chart.rows.size(); ++k) {
    const RowChart::Row& row = chart.rows[k];
    const double y = top + kRowHeight * (static_cast<double>(k) + 0.5);
    body += fmt::format("<g><title>{}</title>{}</g>\n", svg_escaped(row.name),
                        chart_text(left - 10, y + 4.5, "end", fitted(row.name, kMostRowNames, kRowNameFont)));
    if (row.has_box && !row.values.empty()) body += box_svg(row, across, y);
    body += dots_svg(row, across, y);
    for (std::size_t m = 0; m < row.marks.size(); ++m) {
      if (!row.marks[m]) continue;
      body += fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"><title>{}, {}: {:.4g}</title></circle>\n",
                          chart_fill_style(m), across(*row.marks[m]), y, svg_escaped(row.name),
                          svg_escaped(chart.marks[m]), *row.marks[m]);
    }
  }
  body += chart_axis_line(left, bottom, left + width, bottom) +
          chart_text(left + width / 2, bottom + 38, "middle", chart.title);
  return svg_document(kSeriesWidth, bottom + kTitleRoom, kSeriesFont, body);
}

std::string scatter_chart_svg(const ScatterChart& chart) {
  NumberRange x;
  NumberRange y;
  for (const ScatterChart::Point& point : chart.points) {
    x.add(point.x);
    y.add(point.y);
  }
  const SeriesArea area{scale_of(x.low, x.high, chart.x_is_log), scale_of(y.low, y.high, false)};
  std::vector<double> ticks;
  for (const double tick : area.x.ticks(6)) {
    if (ticks.empty() || area.across(tick) - area.across(ticks.back()) >= kNearestTicks) ticks.push_back(tick);
  }
  std::string body = frame_svg(area, ticks, chart.x_title, chart.y_title);
  std::vector<LabelBox> taken;
  for (const ScatterChart::Point& point : chart.points) {
    const double left = area.across(point.x);
    const double down = area.down(point.y);
    taken.push_back({left - 5, down - 5, left + 5, down + 5});
    body += fmt::format(
        "<circle class=\"fill0\" fill=\"#0072b2\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"><title>{}: {:.4g}, "
        "{:.4g}</title></circle>\n",
        left, down, svg_escaped(point.name), point.x, point.y);
  }
  for (const ScatterChart::Point& point : chart.points) {
    body += name_svg(point.name, area.across(point.x), area.down(point.y), taken);
  }
  return svg_document(kSeriesWidth, kSeriesTop + kSeriesHeight + kTitleRoom, kSeriesFont, body);
}

}  // namespace clade
