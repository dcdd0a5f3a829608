#include "report/dendrogram_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kMargin = 16;
constexpr double kTitleFont = 15;
constexpr double kTitleHeight = 52;  // with the line below it
constexpr double kTree = 620;
constexpr double kGap = 8;
constexpr double kBar = 4;  // the coloured bar beside a cluster
constexpr double kAxisHeight = 44;
constexpr double kTick = 5;

constexpr std::string_view kInk = "#222";
constexpr std::string_view kFaint = "#999";
// Dark enough for text on white, and distinguishable for most eyes.
constexpr std::string_view kColours[] = {"#1b6ca8", "#c1440e", "#2e7d32", "#7b3fa0",
                                         "#a8720b", "#00838f", "#b0316b", "#5d6d1e"};

// Rows are tall for few classes and narrow for many.
struct RowSize {
  double height;
  double font;
};
RowSize row_size(std::size_t classes) {
  if (classes <= 60) return {20, 13};
  return classes <= 400 ? RowSize{14, 11} : RowSize{11, 9};
}

// The largest of 1, 2 and 5 times a power of ten that gives at least four steps.
double step_of(double longest) {
  const double power = std::pow(10, std::floor(std::log10(longest / 4)));
  const double steps = longest / 4 / power;
  return power * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
}

std::string label(double x, double y, std::string_view anchor, std::string_view colour, std::string_view text,
                  std::string_view more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, anchor,
                     colour, more, svg_escaped(text));
}

class Painter {
 public:
  Painter(const LearnedTaxonomy& learned, const std::string& title)
      : learned_(learned), dendrogram_(learned.dendrogram), title_(title), row_(row_size(classes())) {
    set_rows();
    set_colours();
    double names = 0;
    for (const std::string& name : dendrogram_.classes) names = std::max(names, svg_text_width(name, row_.font));
    double clusters = 0;
    for (const std::string& name : cluster_) clusters = std::max(clusters, svg_text_width(name, row_.font));
    bar_x_ = kMargin + (clusters > 0 ? clusters + kGap : 0);
    names_x_ = bar_x_ + kBar + kGap + names;
    tree_x_ = names_x_ + kGap;
    if (!dendrogram_.merges.empty()) longest_ = dendrogram_.merges.back().distance;
  }

  std::string paint() const {
    const double bottom = row_y(classes()) + kGap;
    std::string body = heading() + rows() + links() + axis(bottom);
    const double wanted = 2 * kMargin + svg_text_width(title_, kTitleFont);
    return svg_document(std::max(tree_x_ + kTree + 2 * kMargin, wanted), bottom + kAxisHeight + kMargin, row_.font,
                        body);
  }

 private:
  std::size_t classes() const { return dendrogram_.classes.size(); }
  double row_y(std::size_t row) const {
    return kMargin + kTitleHeight + row_.height * (static_cast<double>(row) + 0.5);
  }
  double x_of(double distance) const { return tree_x_ + (longest_ > 0 ? kTree * distance / longest_ : 0); }

  // The cluster of a class is the lowest node above it, unless that is the root. Colours are given from top to bottom,
  // so that neighbours differ.
  void set_colours() {
    const Taxonomy& taxonomy = learned_.taxonomy;
    cluster_.resize(classes());
    colour_.assign(classes(), kInk);
    std::map<NodeId, std::size_t> number;
    for (const std::size_t k : order_) {
      const NodeId parent = taxonomy.parents(*taxonomy.find(dendrogram_.classes[k]))[0];
      if (parent == taxonomy.root()) continue;
      cluster_[k] = taxonomy.name(parent);
      colour_[k] = kColours[number.try_emplace(parent, number.size()).first->second % std::size(kColours)];
    }
  }

  // The parts of a merge are placed one below the other, the part with the first class on top, so that links never
  // cross.
  void set_rows() {
    const auto q = classes();
    first_.resize(q + dendrogram_.merges.size());
    for (std::size_t k = 0; k < q; ++k) first_[k] = k;
    for (std::size_t m = 0; m < dendrogram_.merges.size(); ++m) {
      const auto [a, b] = parts(m);
      first_[q + m] = std::min(first_[a], first_[b]);
    }
    std::vector<std::size_t> open{first_.size() - 1};
    while (!open.empty()) {
      const std::size_t part = open.back();
      open.pop_back();
      if (part < q) {
        order_.push_back(part);
        continue;
      }
      const auto [a, b] = parts(part - q);
      open.push_back(first_[a] < first_[b] ? b : a);
      open.push_back(first_[a] < first_[b] ? a : b);
    }
    height_.resize(first_.size());
    for (std::size_t row = 0; row < order_.size(); ++row) height_[order_[row]] = row_y(row);
    for (std::size_t m = 0; m < dendrogram_.merges.size(); ++m) {
      const auto [a, b] = parts(m);
      height_[q + m] = (height_[a] + height_[b]) / 2;
    }
  }

  std::pair<std::size_t, std::size_t> parts(std::size_t merge) const {
    return {static_cast<std::size_t>(dendrogram_.merges[merge].first),
            static_cast<std::size_t>(dendrogram_.merges[merge].second)};
  }

  std::string heading() const {
    std::string below =
        fmt::format("{} classes, {} clusters", learned_.taxonomy.leaves().size(), learned_.clusters.size());
    if (dendrogram_.threshold) {
      below += fmt::format("; \xC3\x97 cut: inconsistency above {:.4f} (large), or built on such a link",
                           *dendrogram_.threshold);
    } else if (dendrogram_.levels > 1) {
      below += "; \xC3\x97 cut";
    }
    return fmt::format("<title>{}</title>\n", svg_escaped(title_)) +
           label(kMargin, kMargin + kTitleFont, "start", kInk, title_,
                 fmt::format(" font-size=\"{:g}\" font-weight=\"bold\"", kTitleFont)) +
           label(kMargin, kMargin + kTitleFont + 20, "start", "#555", below, " font-size=\"12\"");
  }

  std::string rows() const {
    std::string text;
    for (std::size_t row = 0; row < order_.size();) {
      std::size_t end = row;
      for (; end < order_.size() && cluster_[order_[end]] == cluster_[order_[row]]; ++end) {
        text +=
            label(names_x_, row_y(end) + row_.font / 3, "end", colour_[order_[end]], dendrogram_.classes[order_[end]]);
      }
      if (!cluster_[order_[row]].empty()) text += cluster_mark(row, end);
      row = end;
    }
    return text;
  }

  std::string cluster_mark(std::size_t row, std::size_t end) const {
    const std::string_view colour = colour_[order_[row]];
    const double top = row_y(row) - row_.height / 2 + 2;
    const double bottom = row_y(end - 1) + row_.height / 2 - 2;
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:.1f}\" fill=\"{}\"/>\n", bar_x_, top,
                       kBar, bottom - top, colour) +
           label(bar_x_ - kGap, (top + bottom) / 2 + row_.font / 3, "end", colour, cluster_[order_[row]]);
  }

  std::string links() const {
    std::string cut;
    std::string kept;
    for (std::size_t m = 0; m < dendrogram_.merges.size(); ++m) {
      (dendrogram_.merges[m].cuts > 0 ? cut : kept) += link(m);
    }
    return cut + kept;
  }

  std::string link(std::size_t m) const {
    const Merge& merge = dendrogram_.merges[m];
    const auto q = classes();
    const auto [a, b] = parts(m);
    const auto start = [&](std::size_t part) {
      return part < q ? tree_x_ : x_of(dendrogram_.merges[part - q].distance);
    };
    const bool is_cut = merge.cuts > 0;
    const double x = x_of(merge.distance);
    std::string text = fmt::format(
        "<path d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
        start(a), height_[a], x, height_[b], start(b), is_cut ? kFaint : colour_[first_[q + m]], is_cut ? 1 : 1.8,
        is_cut ? " stroke-dasharray=\"4 3\"" : "");
    if (is_cut) text += cross(x, height_[q + m], is_reason(merge));
    return text;
  }

  bool is_reason(const Merge& merge) const {
    return !dendrogram_.threshold || merge.inconsistency > *dendrogram_.threshold * (1 + 1e-12);
  }

  static std::string cross(double x, double y, bool large) {
    const double r = large ? 5 : 2.5;
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#b2182b\" "
        "stroke-width=\"{:g}\"/>\n",
        x - r, y - r, x + r, y + r, x - r, y + r, x + r, y - r, large ? 2 : 1.2);
  }

  std::string axis(double y) const {
    if (longest_ <= 0) return {};
    std::string text =
        fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\"/>\n", tree_x_, y, tree_x_ + kTree, kInk);
    const double step = step_of(longest_);
    for (int k = 0; k * step <= longest_ * (1 + 1e-9); ++k) {
      const double x = x_of(k * step);
      text += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"{}\"/>\n", x, y, y + kTick, kInk);
      text += label(x, y + kTick + 13, "middle", kInk, fmt::format("{:g}", k * step), " font-size=\"11\"");
    }
    return text + label(tree_x_ + kTree / 2, y + kTick + 31, "middle", "#555", "distance at which parts are joined",
                        " font-size=\"12\"");
  }

  const LearnedTaxonomy& learned_;
  const Dendrogram& dendrogram_;
  const std::string& title_;
  RowSize row_;
  std::vector<std::string> cluster_;      // of every class, by name; empty: none
  std::vector<std::string_view> colour_;  // of every class
  std::vector<std::size_t> first_;        // of every part, its first class
  std::vector<std::size_t> order_;        // classes from top to bottom
  std::vector<double> height_;            // of every part
  double bar_x_ = 0;
  double names_x_ = 0;
  double tree_x_ = 0;
  double longest_ = 0;
};

}  // namespace

std::string dendrogram_svg(const LearnedTaxonomy& learned, const std::string& title) {
  return Painter(learned, title).paint();
}

}  // namespace clade
