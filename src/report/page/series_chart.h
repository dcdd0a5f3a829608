#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clade {

constexpr std::size_t kMostDeviations = 8;  // in one chart: beyond, they would hide the lines

// Lines of several methods over a number, with deviations: bands where there are few lines, bars where there are more.
struct SeriesChart {
  struct Point {
    double x = 0;
    double y = 0;
    std::optional<double> deviation;
  };
  struct Line {
    std::string name;
    std::vector<Point> points;  // ascending
  };
  std::string x_title;
  std::string y_title;
  bool x_is_log = false;
  bool y_is_log = false;
  bool has_marks = true;
  std::vector<Line> lines;
};
// Requires a point.
std::string series_chart_svg(const SeriesChart& chart);

// One row for each method, along a common axis: all values as dots, a box from the first to the third quartile with the
// median where there are enough, or a few marks in the colours of `marks`.
struct RowChart {
  struct Row {
    std::string name;
    std::vector<double> values;
    bool has_box = false;
    std::vector<std::optional<double>> marks;
  };
  std::string title;  // of the axis
  bool is_log = false;
  std::vector<std::string> marks;  // their names
  std::vector<Row> rows;
};
// Requires a number.
std::string row_chart_svg(const RowChart& chart);

// Points with names. A name is left out where it would cover another; it remains as the point's title.
struct ScatterChart {
  struct Point {
    double x = 0;
    double y = 0;
    std::string name;
  };
  std::string x_title;
  std::string y_title;
  bool x_is_log = false;
  std::vector<Point> points;
};
// Requires a point.
std::string scatter_chart_svg(const ScatterChart& chart);

}  // namespace clade
