#include "report/page/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/page/chart_axis.h"
#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kHeatFont = 13;
constexpr double kHeatRow = 28;
constexpr double kHeatWidth = 560;  // panels go on below each other beyond it
constexpr double kHeatGap = 18;
constexpr double kHeatTitle = 24;  // of the rows
constexpr double kHeatCell = 46;   // the narrowest beside another panel

class HeatPainter {
 public:
  explicit HeatPainter(const HeatMap& map) : map_(map) {
    for (const HeatMap::Panel& panel : map.panels) {
      for (const auto& value : panel.values) {
        if (!value) continue;
        low_ = std::min(low_, *value);
        high_ = std::max(high_, *value);
      }
    }
    for (const std::string& row : map.rows) names_ = std::max(names_, chart_text_width(row, kHeatFont) + 8);
    names_ = std::min(names_, 120.0);
    const auto columns = static_cast<double>(map.columns.size());
    // As many panels side by side as leave room for the numbers.
    const auto room = [&](double panels) {
      return ((kHeatWidth + kHeatGap) / panels - kHeatGap - names_ - kHeatTitle) / columns;
    };
    across_ = std::min<std::size_t>(3, map.panels.size());
    while (across_ > 1 && room(static_cast<double>(across_)) < kHeatCell) --across_;
    cell_ = std::clamp(room(static_cast<double>(across_)), 40.0, 64.0);
    panel_width_ = kHeatTitle + names_ + cell_ * columns;
    panel_height_ = (map.panels.size() > 1 ? 24 : 4) + 44 + kHeatRow * static_cast<double>(map.rows.size());
  }

  std::string paint() const {
    std::string body;
    for (std::size_t k = 0; k < map_.panels.size(); ++k) {
      const std::size_t column = k % across_;
      const std::size_t row = k / across_;
      body += panel_svg(map_.panels[k], static_cast<double>(column) * (panel_width_ + kHeatGap),
                        static_cast<double>(row) * (panel_height_ + kHeatGap));
    }
    const std::size_t lines = (map_.panels.size() + across_ - 1) / across_;
    const auto count = static_cast<double>(across_);
    return svg_document(count * panel_width_ + (count - 1) * kHeatGap + 4,
                        static_cast<double>(lines) * (panel_height_ + kHeatGap) - kHeatGap + 6, kHeatFont, body);
  }

 private:
  std::string panel_svg(const HeatMap::Panel& panel, double left, double top) const {
    std::string text;
    const double x0 = left + kHeatTitle + names_;
    double y0 = top + 4;
    if (map_.panels.size() > 1) {
      text += chart_text(x0, top + 15, "start", panel.title, " font-weight=\"bold\"");
      y0 = top + 24;
    }
    const auto width = static_cast<double>(map_.columns.size()) * cell_;
    const auto height = static_cast<double>(map_.rows.size()) * kHeatRow;
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      const double y = y0 + kHeatRow * static_cast<double>(r);
      text += chart_text(x0 - 6, y + kHeatRow / 2 + 4.5, "end", fitted(map_.rows[r], names_, kHeatFont));
      for (std::size_t c = 0; c < map_.columns.size(); ++c) {
        const auto& value = panel.values[r * map_.columns.size() + c];
        if (value) text += cell_svg(*value, x0 + cell_ * static_cast<double>(c), y);
      }
    }
    for (std::size_t c = 0; c < map_.columns.size(); ++c) {
      text += chart_text(x0 + cell_ * (static_cast<double>(c) + 0.5), y0 + height + 16, "middle",
                         fitted(map_.columns[c], cell_, kHeatFont));
    }
    return text + chart_text(x0 + width / 2, y0 + height + 36, "middle", map_.column_title) +
           chart_upright_text(left + 14, y0 + height / 2, map_.row_title);
  }

  std::string cell_svg(double value, double x, double y) const {
    const double place = high_ > low_ ? (value - low_) / (high_ - low_) : 1;
    const double goodness = map_.higher_is_better ? place : 1 - place;
    const bool is_best = value == (map_.higher_is_better ? high_ : low_);
    std::string text = fmt::format(
        "<rect class=\"fill0 cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#0072b2\" "
        "fill-opacity=\"{:.2f}\"/>\n",
        x + 1, y + 1, cell_ - 2, kHeatRow - 2, 0.05 + 0.5 * goodness);
    if (is_best) {
      text += fmt::format(
          "<rect class=\"line1 best\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
          "stroke=\"#d55e00\" stroke-width=\"2.5\"/>\n",
          x + 1.5, y + 1.5, cell_ - 3, kHeatRow - 3);
    }
    return text + chart_text(x + cell_ / 2, y + kHeatRow / 2 + 4.5, "middle",
                             fmt::format("{:.{}f}", value, std::abs(value) < 10 ? 3 : 1),
                             is_best ? " font-weight=\"bold\" font-size=\"12\"" : " font-size=\"12\"");
  }

  const HeatMap& map_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  double names_ = 20;
  double cell_ = 0;
  double panel_width_ = 0;
  double panel_height_ = 0;
  std::size_t across_ = 1;
};

}  // namespace

std::string heat_map_svg(const HeatMap& map) {
  return HeatPainter(map).paint();
}

}  // namespace clade
