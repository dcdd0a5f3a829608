#include "report/page/distance_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "evaluate/node_distance.h"
#include "report/svg.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::size_t kMostClasses = 60;
constexpr std::size_t kMostDots = 800;
constexpr int kLongestName = 26;  // in letters
constexpr double kMatrixLetters = 11;
constexpr double kMatrixSide = 480;  // in pixels, without the names
constexpr double kLegendHeight = 44;

// The leaves from left to right as the hierarchy is drawn, so that relatives are neighbours.
std::vector<NodeId> leaves_in_order(const Taxonomy& taxonomy) {
  std::vector<NodeId> leaves;
  std::vector<char> seen(static_cast<std::size_t>(taxonomy.size()), 0);
  std::vector<NodeId> open{taxonomy.root()};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (std::exchange(seen[static_cast<std::size_t>(node)], 1) != 0) continue;
    if (taxonomy.is_leaf(node)) leaves.push_back(node);
    const auto children = taxonomy.children(node);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return leaves;
}

// The leaves, or where there are too many, in a tree, the nodes of the deepest level that has few enough, with the
// leaves above it. Empty: that level is the root's.
std::vector<NodeId> shown_classes(const Taxonomy& taxonomy) {
  std::vector<NodeId> leaves = leaves_in_order(taxonomy);
  if (leaves.size() <= kMostClasses || !taxonomy.is_tree()) return leaves;
  std::vector<NodeId> shown;
  for (int depth = 1; depth < taxonomy.levels(); ++depth) {
    std::vector<NodeId> nodes;
    for (const NodeId leaf : leaves) {
      NodeId node = leaf;
      while (taxonomy.depth(node) > depth) node = taxonomy.parents(node)[0];
      if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
    }
    if (nodes.size() > kMostClasses) break;
    shown = std::move(nodes);
  }
  return shown;
}

// From white (0) to blue (1).
std::string shade(double share) {
  const auto mix = [&](double from, double to) { return static_cast<int>(std::lround(from + share * (to - from))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0xf2, 0x2b), mix(0xf6, 0x5c), mix(0xfa, 0x8a));
}

struct Matrix {
  std::vector<NodeId> classes;
  std::vector<int> distance;  // row by row
  int largest = 0;
  int of(std::size_t row, std::size_t column) const { return distance[row * classes.size() + column]; }
};

Matrix matrix_of(const Taxonomy& taxonomy, std::vector<NodeId> classes, Context& ctx) {
  std::vector<NodePair> pairs;
  for (const NodeId a : classes) {
    for (const NodeId b : classes) pairs.push_back({a, b});
  }
  Matrix matrix{std::move(classes), distances(taxonomy, pairs, ctx), 0};
  matrix.largest = std::max(1, *std::ranges::max_element(matrix.distance));
  return matrix;
}

// Neighbours of the same distance share a rectangle.
std::string squares_svg(const Matrix& matrix, double left, double top, double side) {
  std::string text;
  const std::size_t size = matrix.classes.size();
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
      while (end < size && matrix.of(row, end) == matrix.of(row, begin)) ++end;
      text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                          left + side * static_cast<double>(begin), top + side * static_cast<double>(row),
                          side * static_cast<double>(end - begin), side,
                          shade(static_cast<double>(matrix.of(row, begin)) / matrix.largest));
    }
  }
  return text;
}

std::string matrix_name(const Taxonomy& taxonomy, NodeId node) {
  return html_escaped(shortened(taxonomy.name(node), kLongestName));
}

std::string dots_svg(const Taxonomy& taxonomy, const Matrix& matrix, const std::vector<WrongLabel>& wrong, double left,
                     double top, double side) {
  std::map<NodeId, std::size_t> place;
  for (std::size_t k = 0; k < matrix.classes.size(); ++k) place[matrix.classes[k]] = k;
  // The node itself, or the one above that stands for it.
  const auto place_of = [&](NodeId node) {
    while (!place.contains(node) && !taxonomy.parents(node).empty()) node = taxonomy.parents(node)[0];
    return place.find(node);
  };
  std::map<std::pair<std::size_t, std::size_t>, Index> counts;
  for (const WrongLabel& one : wrong) {
    const auto [truth, predicted] = std::pair(place_of(one.truth), place_of(one.predicted));
    if (truth != place.end() && predicted != place.end()) ++counts[{truth->second, predicted->second}];
  }
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, Index>> dots(counts.begin(), counts.end());
  std::ranges::sort(dots, {}, [](const auto& dot) { return std::pair(-dot.second, dot.first); });
  dots.resize(std::min(dots.size(), kMostDots));
  const Index most = dots.empty() ? 1 : dots.front().second;
  std::string text;
  for (const auto& [pair, count] : dots) {
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2f}\" fill=\"#d55e00\" stroke=\"#fff\" stroke-width=\"0.5\"><title>"
        "{} taken for {}: {}, distance {}</title></circle>\n",
        left + side * (static_cast<double>(pair.second) + 0.5), top + side * (static_cast<double>(pair.first) + 0.5),
        std::max(1.2, 0.46 * side * std::sqrt(static_cast<double>(count) / static_cast<double>(most))),
        matrix_name(taxonomy, matrix.classes[pair.first]), matrix_name(taxonomy, matrix.classes[pair.second]), count,
        matrix.of(pair.first, pair.second));
  }
  return text;
}

// At most nine boxes.
int legend_step(const Matrix& matrix) {
  return matrix.largest / 9 + 1;
}

std::string legend(const Matrix& matrix, double left, double top) {
  constexpr double kBox = 16;
  std::string text = fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\">distance</text>\n", left, top + 12);
  double x = left + 62;
  for (int d = 0; d <= matrix.largest; d += legend_step(matrix)) {
    text += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\"/><text class=\"ink\" x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text>\n",
        x, top, kBox, kBox, shade(static_cast<double>(d) / matrix.largest), x + kBox + 4, top + 12, d);
    x += kBox + 26;
  }
  return text + fmt::format(
                    "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"#d55e00\"/><text class=\"ink\" "
                    "x=\"{:.1f}\" y=\"{:.1f}\">mistakes</text>\n",
                    x + 14, top + 8, x + 26, top + 12);
}

std::string matrix_svg(const Taxonomy& taxonomy, const Matrix& matrix, const std::vector<WrongLabel>& wrong) {
  const double side = std::min(34.0, kMatrixSide / static_cast<double>(matrix.classes.size()));
  const double letters = std::clamp(side - 1, 6.0, kMatrixLetters);
  double widest = 0;
  std::vector<std::string> names;
  for (const NodeId node : matrix.classes) {
    names.push_back(matrix_name(taxonomy, node));
    widest = std::max(widest, 0.86 * svg_text_width(shortened(taxonomy.name(node), kLongestName), letters));
  }
  const double left = widest + 8;
  const double top = widest + 8;
  std::string body = squares_svg(matrix, left, top, side) + dots_svg(taxonomy, matrix, wrong, left, top, side);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double middle = side * (static_cast<double>(k) + 0.5) + 0.35 * letters;
    body += fmt::format(
        "<text class=\"ink\" font-size=\"{0:g}\" x=\"{1:.1f}\" y=\"{2:.1f}\" text-anchor=\"end\">{3}</text>"
        "<text class=\"ink\" font-size=\"{0:g}\" transform=\"translate({4:.1f} {5:.1f}) rotate(-90)\">{3}</text>\n",
        letters, left - 5, top + middle, names[k], left + middle, top - 5);
  }
  const double whole = side * static_cast<double>(names.size());
  body += legend(matrix, left, top + whole + 16);
  const int boxes = matrix.largest / legend_step(matrix) + 1;
  const double needed = 62 + 42.0 * boxes + 110;
  return svg_document(left + std::max(whole, needed) + 4, top + whole + kLegendHeight, kMatrixLetters + 1, body);
}

}  // namespace

std::optional<PageFigure> distance_matrix_figure(const Taxonomy& taxonomy, const std::vector<WrongLabel>& wrong,
                                                 Context& ctx) {
  std::vector<NodeId> classes = shown_classes(taxonomy);
  if (classes.size() < 2 || classes.size() > kMostClasses) return std::nullopt;
  const bool are_leaves = classes.size() == taxonomy.leaves().size();
  const Matrix matrix = matrix_of(taxonomy, std::move(classes), ctx);
  PageFigure figure;
  figure.name = "class-distances";
  figure.title = "Distances between classes, and the mistakes";
  figure.explanation =
      "Rows are true classes, columns predicted ones. The shade is the number of edges between them in the hierarchy; "
      "the area of a dot is the number of mistakes. Dots in light squares are small mistakes.";
  if (!are_leaves) {
    figure.explanation += " Nodes stand for the classes below them; dots on the diagonal are mistakes among these.";
  }
  figure.description =
      fmt::format("Matrix of the distances between {} classes with dots for confusions.", matrix.classes.size());
  figure.svg = matrix_svg(taxonomy, matrix, wrong);
  return figure;
}

}  // namespace clade
