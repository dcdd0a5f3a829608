#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// What the charts of experiments have in common: scales with their ticks, colours, and shapes that the style sheet of a
// page gives other colours in the dark.

// A range of numbers that is laid out evenly, or evenly by its logarithm.
struct ChartScale {
  double low = 0;
  double high = 1;
  bool is_log = false;

  double share(double value) const;  // 0 at the low end, 1 at the high one
  std::vector<double> ticks(int most) const;
};
// A scale that holds all values, with some room at both ends. Logarithmic ones need values above 0.
ChartScale scale_of(double smallest, double largest, bool is_log);
// Are the values spread such that a logarithmic scale shows them best?
bool suits_log(std::vector<double> values);

std::string tick_label(double value);

// Lines and dots of one method have one colour, and beyond the sixth also another pattern.
std::string chart_line_style(std::size_t number);
std::string chart_solid_line_style(std::size_t number);
std::string chart_fill_style(std::size_t number);

std::string chart_text(double x, double y, std::string_view anchor, std::string_view text,
                       std::string_view more_attributes = "");
std::string chart_grid_line(double x1, double y1, double x2, double y2);
std::string chart_axis_line(double x1, double y1, double x2, double y2);
std::string chart_upright_text(double x, double y, std::string_view text);

// As a browser draws it, about.
double chart_text_width(std::string_view text, double font);
// The name as it fits into so many pixels: what is too long is cut in the middle, for names often differ at their end.
std::string fitted(std::string_view name, double width, double font);

// Names with their colours, in lines of at most `width`; returns the height that they take in `height`.
std::string chart_legend(const std::vector<std::string>& names, double left, double top, double width, bool has_lines,
                         double& height);

}  // namespace clade
