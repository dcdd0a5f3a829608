#include "report/page/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kChartLetters = 13;
constexpr double kChartWidth = 560;
constexpr double kChartHeight = 340;
constexpr double kPlotLeft = 62;
constexpr double kPlotRight = 26;
constexpr double kPlotTop = 36;
constexpr double kPlotBottom = 52;
constexpr double kPlotWidth = kChartWidth - kPlotLeft - kPlotRight;
constexpr double kPlotHeight = kChartHeight - kPlotTop - kPlotBottom;

constexpr std::array<std::string_view, 6> kLineColours = {"#0072b2", "#d55e00", "#009e73",
                                                          "#cc79a7", "#e69f00", "#56b4e9"};

std::string label_svg(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     svg_escaped(text));
}

double step_of(double range, int ticks) {
  const double raw = range / ticks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string tick_text(double value, bool is_share) {
  if (value == 0) value = 0;  // and not -0
  return is_share ? fmt::format("{:g} %", std::round(1e5 * value) / 1e3) : fmt::format("{:g}", value);
}

// The plotting area with its two axes.
class Plot {
 public:
  Plot(const ChartAxis& x, const ChartAxis& y) : x_(x), y_(y) {}

  double across(double x) const { return kPlotLeft + kPlotWidth * (x - x_.low) / (x_.high - x_.low); }
  double down(double y) const { return kPlotTop + kPlotHeight * (1 - (y - y_.low) / (y_.high - y_.low)); }

  std::string horizontal_grid() const {
    std::string text;
    const double step = step_of(y_.high - y_.low, 5);
    for (double y = std::ceil(y_.low / step - 1e-9) * step; y <= y_.high + 1e-9 * step; y += step) {
      text += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e3e3e3\" fill=\"none\"/>\n",
                          kPlotLeft, down(y), kPlotLeft + kPlotWidth);
      text += label_svg(kPlotLeft - 8, down(y) + 4.5, "end", tick_text(y, y_.is_share));
    }
    return text;
  }

  std::string horizontal_labels() const {
    std::string text;
    const double step = step_of(x_.high - x_.low, 5);
    for (double x = std::ceil(x_.low / step - 1e-9) * step; x <= x_.high + 1e-9 * step; x += step) {
      text += label_svg(across(x), kPlotTop + kPlotHeight + 19, "middle", tick_text(x, x_.is_share));
    }
    return text;
  }

  std::string titles() const {
    return fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#888\" fill=\"none\"/>\n", kPlotLeft,
                       kPlotTop + kPlotHeight, kPlotLeft + kPlotWidth) +
           label_svg(kPlotLeft + kPlotWidth / 2, kChartHeight - 10, "middle", x_.title) +
           fmt::format(
               "<text class=\"ink\" transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
               "</text>\n",
               kPlotTop + kPlotHeight / 2, svg_escaped(y_.title));
  }

 private:
  const ChartAxis& x_;
  const ChartAxis& y_;
};

std::string line_svg(const Plot& plot, const ChartLine& line, std::size_t number) {
  const std::string_view colour = kLineColours[number % kLineColours.size()];
  std::string path;
  std::string marks;
  for (const ChartPoint& point : line.points) {
    const double x = plot.across(point.x);
    const double y = plot.down(point.y);
    if (path.empty()) {
      path = fmt::format("M{:.2f} {:.2f}", x, y);
    } else {
      path += line.is_stepped ? fmt::format("V{:.2f}H{:.2f}", y, x) : fmt::format("L{:.2f} {:.2f}", x, y);
    }
    if (line.has_marks) {
      marks += fmt::format(
          "<circle class=\"fill{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\" fill=\"{}\"><title>{:.4g}, {:.4g}</title>"
          "</circle>\n",
          number % kLineColours.size(), x, y, colour, point.x, point.y);
    }
  }
  if (path.empty()) return {};
  return fmt::format(
             "<path class=\"line{}\" d=\"{}\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\" "
             "fill=\"none\"/>\n",
             number % kLineColours.size(), path, colour) +
         marks;
}

std::string legend_svg(const std::vector<ChartLine>& lines) {
  std::string text;
  double x = kPlotLeft;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    text += fmt::format("<path class=\"line{}\" d=\"M{:.1f} 16h18\" stroke=\"{}\" stroke-width=\"3\"/>\n",
                        k % kLineColours.size(), x, kLineColours[k % kLineColours.size()]);
    text += label_svg(x + 24, 20.5, "start", lines[k].name);
    x += 24 + 0.86 * svg_text_width(lines[k].name, kChartLetters) + 18;
  }
  return text;
}

}  // namespace

double axis_floor(double smallest, double step) {
  return std::max(0.0, std::min(0.9, std::floor((smallest - 1e-9) / step) * step));
}

std::string line_chart_svg(const LineChart& chart) {
  const Plot plot(chart.x, chart.y);
  std::string body = plot.horizontal_grid() + plot.horizontal_labels();
  if (chart.has_diagonal) {
    body += fmt::format(
        "<path class=\"axis\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#888\" stroke-dasharray=\"4 4\" "
        "fill=\"none\"/>\n",
        plot.across(0), plot.down(0), plot.across(1), plot.down(1));
  }
  for (std::size_t k = 0; k < chart.lines.size(); ++k) body += line_svg(plot, chart.lines[k], k);
  if (chart.lines.size() > 1) body += legend_svg(chart.lines);
  return svg_document(kChartWidth, kChartHeight, kChartLetters, body + plot.titles());
}

std::string bar_chart_svg(const BarChart& chart) {
  double highest = 0;
  for (const BarChart::Bar& bar : chart.bars) highest = std::max(highest, bar.value);
  const ChartAxis x{chart.x_title, 0, static_cast<double>(std::max<std::size_t>(1, chart.bars.size())), false};
  const ChartAxis y{chart.y_title, 0, highest > 0 ? 1.08 * highest : 1, false};
  const Plot plot(x, y);
  std::string body = plot.horizontal_grid();
  const double width = kPlotWidth / x.high;
  const double thickness = std::min(64.0, 0.72 * width);
  for (std::size_t k = 0; k < chart.bars.size(); ++k) {
    const BarChart::Bar& bar = chart.bars[k];
    const double middle = plot.across(static_cast<double>(k) + 0.5);
    const double top = plot.down(bar.value);
    body += fmt::format(
        "<rect class=\"fill0\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
        "fill=\"#0072b2\"><title>{}: {:g}</title></rect>\n",
        middle - thickness / 2, top, thickness, plot.down(0) - top, svg_escaped(bar.label), bar.value);
    body += label_svg(middle, plot.down(0) + 19, "middle", bar.label) + label_svg(middle, top - 6, "middle", bar.note);
  }
  return svg_document(kChartWidth, kChartHeight, kChartLetters, body + plot.titles());
}

}  // namespace clade
