#include "report/critical_distance_diagram.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kFont = 14;
constexpr double kMargin = 16;
constexpr double kLine = 22;  // from one name to the next
constexpr double kBar = 10;   // from one thick bar to the next
constexpr double kTick = 8;
constexpr double kSmallestAxis = 420;
constexpr double kPerRank = 60;
constexpr double kLargestAxis = 1200;
constexpr double kTitleHeight = 28;
constexpr double kDistanceHeight = 40;  // the critical distance with its text
constexpr double kAxisText = 26;        // the numbers above the axis
constexpr double kLead = 14;            // from a leader's corner to its name

std::string line(double x1, double y1, double x2, double y2, double width = 1) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#222\" stroke-width=\"{:g}\"/>\n", x1, y1,
      x2, y2, width);
}

std::string bar(double x1, double x2, double y) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#b2182b\" stroke-width=\"5\" "
      "stroke-linecap=\"round\"/>\n",
      x1, y, x2, y);
}

std::string label(double x, double y, std::string_view anchor, std::string_view text, bool bold = false) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                     bold ? " font-weight=\"bold\"" : "", svg_escaped(text));
}

class Painter {
 public:
  explicit Painter(const CriticalDistanceDiagram& diagram) : diagram_(diagram), order_(diagram.methods.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t i, std::size_t j) { return rank(i) != rank(j) ? rank(i) < rank(j) : i < j; });
    const auto count = static_cast<double>(order_.size());
    axis_ = std::clamp(kPerRank * (count - 1), kSmallestAxis, kLargestAxis);
    right_side_ = (order_.size() + 1) / 2;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      double& margin = k < right_side_ ? right_ : left_;
      margin = std::max(margin, svg_text_width(name(order_[k]), kFont) + 2 * kLead);
    }
    left_ += kMargin;
    right_ += kMargin;
    // Title and critical distance stand above the axis, and may be longer than it.
    const double above = std::max(svg_text_width(diagram.title, kFont), svg_text_width(distance_text(), kFont));
    right_ = std::max(right_, above - axis_ + kMargin);
    axis_y_ = kMargin + (diagram.title.empty() ? 0 : kTitleHeight) + kDistanceHeight + kAxisText;
  }

  std::string paint() {
    std::string body = title() + critical_distance() + axis() + bars();
    for (std::size_t k = 0; k < order_.size(); ++k) body += leader(k);
    const double width = left_ + axis_ + right_;
    const double height = names_y_ + kLine * static_cast<double>(right_side_) + kMargin;
    return svg_document(width, height, kFont, body);
  }

 private:
  double rank(std::size_t method) const { return diagram_.average_ranks[method]; }
  std::string name(std::size_t method) const {
    return fmt::format("{} ({:.2f})", diagram_.methods[method], rank(method));
  }
  // The best rank, 1, is on the right.
  double x_of(double rank) const {
    const auto worst = static_cast<double>(order_.size());
    return left_ + axis_ * (worst - rank) / (worst - 1);
  }
  double length_of(double ranks) const { return axis_ * ranks / (static_cast<double>(order_.size()) - 1); }
  bool is_nemenyi() const { return diagram_.post_hoc == CriticalDistanceDiagram::PostHoc::kNemenyi; }
  bool fits_axis() const { return length_of(diagram_.distance) <= axis_; }

  std::string distance_text() const {
    return fmt::format("CD = {:.3f} ({}, \xCE\xB1 = {:g}){}", diagram_.distance,
                       is_nemenyi() ? "Nemenyi"
                                    : "Bonferroni\xE2\x80\x93"
                                      "Dunn",
                       diagram_.alpha, fits_axis() ? "" : ": longer than the axis");
  }

  std::string title() const {
    if (diagram_.title.empty()) return {};
    return fmt::format("<title>{}</title>\n", svg_escaped(diagram_.title)) +
           label(left_, kMargin + kFont, "start", diagram_.title, true);
  }

  std::string critical_distance() const {
    const double y = axis_y_ - kAxisText - 8;
    const std::string text = label(left_, y - 8, "start", distance_text());
    if (!fits_axis()) return text;
    const double end = left_ + length_of(diagram_.distance);
    return text + line(left_, y, end, y, 2) + line(left_, y - 4, left_, y + 4, 2) + line(end, y - 4, end, y + 4, 2);
  }

  std::string axis() const {
    std::string text = line(left_, axis_y_, left_ + axis_, axis_y_, 1.5);
    const std::size_t count = order_.size();
    // As many numbers as fit.
    const auto step = static_cast<std::size_t>(std::ceil(24 / length_of(1)));
    for (std::size_t k = 1; k <= count; k += std::max<std::size_t>(step, 1)) {
      const double x = x_of(static_cast<double>(k));
      text += line(x, axis_y_ - kTick, x, axis_y_) + label(x, axis_y_ - kTick - 4, "middle", std::to_string(k));
    }
    for (std::size_t k = 1; k < count && step <= 1; ++k) {
      const double x = x_of(static_cast<double>(k) + 0.5);
      text += line(x, axis_y_ - kTick / 2, x, axis_y_);
    }
    return text;
  }

  std::string bars() {
    names_y_ = axis_y_ + kLine;
    return is_nemenyi() ? group_bars() : control_bar();
  }

  // Overlapping bars are drawn one below the other.
  std::string group_bars() {
    std::vector<double> ascending;
    for (const std::size_t method : order_) ascending.push_back(rank(method));
    std::vector<double> free_from;  // per level: the rank from which on it is free
    std::string text;
    for (const RankGroup& group : undistinguished_groups(ascending, diagram_.distance)) {
      const double from = ascending[group.first];
      std::size_t level = 0;
      while (level < free_from.size() && from < free_from[level]) ++level;
      if (level == free_from.size()) free_from.push_back(0);
      const double overhang = 4 * (static_cast<double>(order_.size()) - 1) / axis_;  // in ranks
      free_from[level] = ascending[group.last] + 4 * overhang;
      const double y = axis_y_ + kBar * static_cast<double>(level + 1);
      text += bar(x_of(from - overhang), x_of(ascending[group.last] + overhang), y);
    }
    names_y_ += kBar * static_cast<double>(free_from.size());
    return text;
  }

  std::string control_bar() const {
    const double middle = rank(diagram_.control);
    const auto worst = static_cast<double>(order_.size());
    return bar(x_of(std::min(middle + diagram_.distance, worst)), x_of(std::max(middle - diagram_.distance, 1.0)),
               axis_y_);
  }

  // From the axis down, then out to the name. The best and the worst have the highest names, so no two leaders cross.
  std::string leader(std::size_t position) const {
    const std::size_t method = order_[position];
    const bool right = position < right_side_;
    const std::size_t level = right ? position : order_.size() - 1 - position;
    const double x = x_of(rank(method));
    const double y = names_y_ + kLine * static_cast<double>(level) + kLine / 2;
    const double end = right ? left_ + axis_ + kLead : left_ - kLead;
    const bool bold = !is_nemenyi() && method == diagram_.control;
    return line(x, axis_y_, x, y) + line(x, y, end, y) +
           label(right ? end + 4 : end - 4, y + kFont / 3, right ? "start" : "end", name(method), bold);
  }

  const CriticalDistanceDiagram& diagram_;
  std::vector<std::size_t> order_;
  std::size_t right_side_ = 0;  // number of methods whose names are on the right
  double axis_ = 0;
  double left_ = 0;
  double right_ = 0;
  double axis_y_ = 0;
  double names_y_ = 0;
};

}  // namespace

std::vector<RankGroup> undistinguished_groups(const std::vector<double>& ascending_ranks, double distance) {
  std::vector<RankGroup> groups;
  std::size_t last = 0;
  for (std::size_t first = 0; first < ascending_ranks.size(); ++first) {
    const std::size_t before = last;
    while (last + 1 < ascending_ranks.size() && ascending_ranks[last + 1] - ascending_ranks[first] < distance) ++last;
    const bool new_end = first == 0 || last > before;
    if (new_end && last > first) groups.push_back({first, last});
    last = std::max(last, first + 1);
  }
  return groups;
}

std::string critical_distance_svg(const CriticalDistanceDiagram& diagram) {
  return Painter(diagram).paint();
}

}  // namespace clade
