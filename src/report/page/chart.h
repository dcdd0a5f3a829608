#pragma once

#include <string>
#include <vector>

namespace clade {

// Charts as SVG. They have the colours of a white page, and classes by which the style sheet of a page gives them
// others in the dark. The colours (Okabe and Ito) can be told apart by colour-blind readers.

struct ChartAxis {
  std::string title;
  double low = 0;
  double high = 1;
  bool is_share = true;  // labels in per cent
};

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartLine {
  std::string name;  // in the legend
  std::vector<ChartPoint> points;
  bool has_marks = false;
  bool is_stepped = false;  // the y of a point holds since the x of the one before
};

struct LineChart {
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartLine> lines;
  bool has_diagonal = false;  // a thin line where y = x
};
std::string line_chart_svg(const LineChart& chart);

struct BarChart {
  std::string x_title;
  std::string y_title;
  struct Bar {
    std::string label;
    double value = 0;
    std::string note;  // above the bar
  };
  std::vector<Bar> bars;
};
std::string bar_chart_svg(const BarChart& chart);

// The largest multiple of `step` that is not above all values, and at least 0: where an axis of shares may begin.
double axis_floor(double smallest, double step = 0.1);

}  // namespace clade
