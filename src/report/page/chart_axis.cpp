#include "report/page/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/svg.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 6> kMethodColours = {"#0072b2", "#d55e00", "#009e73",
                                                            "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::array<std::string_view, 3> kMethodPatterns = {"", " stroke-dasharray=\"6 3\"",
                                                             " stroke-dasharray=\"2 3\""};
constexpr double kLegendFont = 13;
constexpr double kLegendLine = 19;

std::vector<double> even_ticks(double low, double high, int most) {
  const double raw = (high - low) / most;
  if (!(raw > 0)) return {low};
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= raw * (1 - 1e-9)) step = factor * power;
  }
  std::vector<double> ticks;
  // Counted, for numbers beyond 2^53 do not grow by 1.
  for (int k = 0; k <= most + 1; ++k) {
    const double tick = (std::ceil(low / step - 1e-9) + k) * step;
    if (tick <= high + 1e-9 * step) ticks.push_back(tick);
  }
  return ticks;
}

// Powers of ten, with some between them if there are few.
std::vector<double> log_ticks(double low, double high, int most) {
  const double powers = std::log10(high / low);
  const std::vector<double> between = powers < 0.8   ? std::vector<double>{1, 2, 3, 5, 7}
                                      : powers < 1.7 ? std::vector<double>{1, 2, 5}
                                      : powers < 3   ? std::vector<double>{1, 3}
                                                     : std::vector<double>{1};
  const int step = std::max(1, static_cast<int>(std::ceil(powers / most)));
  std::vector<double> ticks;
  for (int p = static_cast<int>(std::floor(std::log10(low))); p <= static_cast<int>(std::ceil(std::log10(high))); ++p) {
    if (p % step != 0) continue;
    for (const double factor : between) {
      const double value = factor * std::pow(10, p);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
    }
  }
  return ticks;
}

}  // namespace

double ChartScale::share(double value) const {
  if (is_log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

std::vector<double> ChartScale::ticks(int most) const {
  if (!is_log) return even_ticks(low, high, most);
  std::vector<double> found = log_ticks(low, high, most);
  return found.size() > 1 ? found : even_ticks(low, high, most);
}

ChartScale scale_of(double smallest, double largest, bool is_log) {
  constexpr double kRoom = 0.06;
  if (is_log) {
    const double ratio = std::max(largest / smallest, 1.5);
    return {smallest / std::pow(ratio, kRoom), largest * std::pow(ratio, kRoom), true};
  }
  const double range = largest - smallest;
  const double room = range > 0 ? kRoom * range : std::max(0.05 * std::abs(largest), 0.01);
  return {smallest - room, largest + room, false};
}

bool suits_log(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < 2 || values.front() <= 0) return false;
  const double ratio = values.back() / values.front();
  if (ratio < 8) return false;
  const double middle = values[values.size() / 2];
  return ratio >= 1000 || (middle - values.front()) / (values.back() - values.front()) < 0.4;
}

std::string tick_label(double value) {
  if (std::abs(value) < 1e-12) value = 0;
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e9 && value == std::round(value)) {
    return grouped(static_cast<Index>(value));
  }
  return fmt::format("{:.6g}", value);
}

std::string chart_line_style(std::size_t number) {
  return chart_solid_line_style(number).append(
      kMethodPatterns[number / kMethodColours.size() % kMethodPatterns.size()]);
}

std::string chart_solid_line_style(std::size_t number) {
  const std::size_t colour = number % kMethodColours.size();
  return fmt::format("class=\"line{}\" stroke=\"{}\"", colour, kMethodColours[colour]);
}

std::string chart_fill_style(std::size_t number) {
  const std::size_t colour = number % kMethodColours.size();
  return fmt::format("class=\"fill{}\" fill=\"{}\"", colour, kMethodColours[colour]);
}

std::string chart_text(double x, double y, std::string_view anchor, std::string_view text,
                       std::string_view more_attributes) {
  return fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                     more_attributes, svg_escaped(text));
}

std::string chart_grid_line(double x1, double y1, double x2, double y2) {
  return fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#e3e3e3\" fill=\"none\"/>\n", x1,
                     y1, x2, y2);
}

std::string chart_axis_line(double x1, double y1, double x2, double y2) {
  return fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#888\" fill=\"none\"/>\n", x1,
                     y1, x2, y2);
}

std::string chart_upright_text(double x, double y, std::string_view text) {
  return fmt::format(
      "<text class=\"ink\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", x, y,
      svg_escaped(text));
}

double chart_text_width(std::string_view text, double font) {
  return 0.84 * svg_text_width(text, font);
}

std::string fitted(std::string_view name, double width, double font) {
  if (chart_text_width(name, font) <= width) return std::string(name);
  std::vector<std::string_view> letters;
  for (std::size_t k = 0; k < name.size();) {
    std::size_t end = k + 1;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
    letters.push_back(name.substr(k, end - k));
    k = end;
  }
  std::string text;
  for (std::size_t kept = std::min<std::size_t>(letters.size() - 1, 200); kept > 1; --kept) {
    const std::size_t head = kept / 3;
    text.clear();
    for (std::size_t k = 0; k < head; ++k) text += letters[k];
    text += "…";
    for (std::size_t k = letters.size() - (kept - head); k < letters.size(); ++k) text += letters[k];
    if (chart_text_width(text, font) <= width) break;
  }
  return text;
}

std::string chart_legend(const std::vector<std::string>& names, double left, double top, double width, bool has_lines,
                         double& height) {
  constexpr double kSign = 24;
  constexpr double kGap = 18;
  std::string text;
  double x = left;
  double y = top + kLegendLine / 2;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string name = fitted(names[k], width - kSign, kLegendFont);
    const double length = kSign + chart_text_width(name, kLegendFont);
    if (x > left && x + length > left + width) {
      x = left;
      y += kLegendLine;
    }
    text += has_lines
                ? fmt::format("<path {} d=\"M{:.1f} {:.1f}h18\" stroke-width=\"3\" fill=\"none\"/>\n",
                              chart_line_style(k), x, y)
                : fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"/>\n", chart_fill_style(k), x + 12, y);
    text += chart_text(x + kSign, y + 4.5, "start", name);
    x += length + kGap;
  }
  height = y - top + kLegendLine / 2;
  return text;
}

}  // namespace clade
