#include "taxonomy/restore.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace clade {
namespace {

class ShapeCheck {
 public:
  ShapeCheck(const TaxonomyShape& shape, const Where& where)
      : shape_(shape), where_(where), nodes_(static_cast<NodeId>(shape.names.size())) {}

  // Fills the index of the names.
  void run(NameIndex& by_name) const {
    require(!shape_.names.empty(), "no node in the hierarchy", "expected at least one");
    check_names(by_name);
    check_positions();
    check_edges();
    check_miscellaneous();
  }

 private:
  void require(bool condition, std::string_view problem, std::string_view expected) const {
    if (!condition) throw input_error(where_, problem, expected);
  }

  void check_names(NameIndex& by_name) const {
    const NodeId repeated = by_name.build(shape_.names);
    if (repeated == kNoNode) return;
    throw input_error(where_, fmt::format("two nodes are named '{}'", shape_.names[static_cast<std::size_t>(repeated)]),
                      "expected each name once");
  }

  void check_positions() const {
    require(shape_.input_position.size() == shape_.names.size(), "positions do not fit the nodes",
            "expected one per node");
    std::vector<bool> seen(shape_.names.size());
    for (const NodeId position : shape_.input_position) {
      const bool is_good = position >= 0 && position < nodes_ && !seen[static_cast<std::size_t>(position)];
      require(is_good, "positions of nodes are not an order", "expected each of 0, 1, ... once");
      seen[static_cast<std::size_t>(position)] = true;
    }
  }

  void check_edges() const {
    std::vector<bool> has_parent(shape_.names.size());
    for (const auto& [parent, child] : shape_.edges) {
      require(parent >= 0 && parent < child && child < nodes_, "an edge between nodes that cannot have one",
              "expected parents with smaller ids than their children");
      has_parent[static_cast<std::size_t>(child)] = true;
    }
    for (std::size_t node = 1; node < has_parent.size(); ++node) {
      require(has_parent[node], "a node without a parent", "expected one root, the first node");
    }
    const auto& edges = shape_.edges;
    if (std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end())
      return;  // the usual case
    auto sorted = edges;
    std::sort(sorted.begin(), sorted.end());
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "an edge is given twice",
            "expected each edge once");
  }

  // A miscellaneous leaf has one parent, which has another child and no second miscellaneous leaf.
  void check_miscellaneous() const {
    const NodeId first = shape_.first_miscellaneous;
    if (first == std::numeric_limits<NodeId>::max()) return;
    constexpr std::string_view kExpected = "expected leaves of their own at the end of the nodes";
    require(first > 0 && first <= nodes_, "a bad number of miscellaneous leaves", kExpected);
    std::vector<int> parents(shape_.names.size(), 0);
    std::vector<int> miscellaneous_below(shape_.names.size(), 0);
    std::vector<bool> has_class_below(shape_.names.size());
    for (const auto& [parent, child] : shape_.edges) {
      require(parent < first, "a miscellaneous leaf has children", kExpected);
      const auto p = static_cast<std::size_t>(parent);
      ++parents[static_cast<std::size_t>(child)];
      if (child >= first) {
        ++miscellaneous_below[p];
      } else {
        has_class_below[p] = true;
      }
    }
    for (std::size_t node = 0; node < shape_.names.size(); ++node) {
      const bool is_odd = miscellaneous_below[node] > 1 || (miscellaneous_below[node] == 1 && !has_class_below[node]);
      require(!is_odd, "miscellaneous leaves in the wrong place", kExpected);
      require(static_cast<NodeId>(node) < first || parents[node] == 1, "a miscellaneous leaf has several parents",
              kExpected);
    }
  }

  const TaxonomyShape& shape_;
  const Where& where_;
  NodeId nodes_;
};

}  // namespace

TaxonomyShape shape_of(const Taxonomy& taxonomy) {
  TaxonomyShape shape;
  shape.virtual_root = taxonomy.has_virtual_root();
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    shape.names.push_back(taxonomy.name(node));
    shape.input_position.push_back(taxonomy.input_position(node));
    for (const NodeId child : taxonomy.children(node)) shape.edges.emplace_back(node, child);
    if (taxonomy.is_miscellaneous(node)) shape.first_miscellaneous = std::min(shape.first_miscellaneous, node);
  }
  return shape;
}

Taxonomy restore_taxonomy(TaxonomyShape shape, const Where& where) {
  NameIndex by_name;
  ShapeCheck(shape, where).run(by_name);
  return Taxonomy(Taxonomy::Body::make(std::move(shape), std::move(by_name)));
}

}  // namespace clade
