#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clade {

// A measure over two parameters, one panel for each value of a third. The panels share their colours: the
// stronger, the better. The best values have a frame.
struct HeatMap {
  struct Panel {
    std::string title;                          // empty: there is one panel
    std::vector<std::optional<double>> values;  // rows x columns
  };
  std::string row_title;
  std::string column_title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  bool higher_is_better = true;
  std::vector<Panel> panels;
};
// Requires a value.
std::string heat_map_svg(const HeatMap& map);

}  // namespace clade
