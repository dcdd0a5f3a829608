// Nested JSON, written: {"name": ..., "children": [...]}, one node per line; several roots as a list.
#include <nlohmann/json.hpp>

#include "io/taxonomy/json_tokens.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_order.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

constexpr std::size_t kDeepestIndent = 40;  // deeper lines are not indented further, so that chains stay linear

// The stated nodes in the order in which nesting names them: depth first, siblings in the order of the input. The
// first place of a node holds its children; at further places, below its other parents, it stands alone.
class Nesting {
 public:
  explicit Nesting(const StatedNodes& nodes) : nodes_(nodes), children_(make_children(nodes)) {}

  // Calls enter(node, depth, has_children_here) and leave(depth) in the order of the text.
  template <class Enter, class Leave>
  void walk(Enter&& enter, Leave&& leave) const {
    std::vector<bool> done(children_.size(), false);
    std::vector<std::pair<NodeId, std::size_t>> open;  // nodes above, and which child comes next
    const auto visit = [&](NodeId node) {
      const bool opens = !done[static_cast<std::size_t>(node)] && !children_[static_cast<std::size_t>(node)].empty();
      done[static_cast<std::size_t>(node)] = true;
      enter(node, open.size(), opens);
      if (opens) open.emplace_back(node, 0);
    };
    for (const NodeId root : roots()) {
      visit(root);
      while (!open.empty()) {
        const auto& below = children_[static_cast<std::size_t>(open.back().first)];
        if (open.back().second == below.size()) {
          open.pop_back();
          leave(open.size());
        } else {
          visit(below[open.back().second++]);
        }
      }
    }
  }

  std::vector<NodeId> roots() const {
    std::vector<NodeId> result;
    for (const NodeId node : nodes_.in_input_order()) {
      bool is_root = true;
      nodes_.for_each_parent(node, [&](NodeId) { is_root = false; });
      if (is_root) result.push_back(node);
    }
    return result;
  }

  // Does a reader that numbers nodes as nesting names them arrive at the same taxonomy?
  bool keeps_order() const {
    TaxonomyBuilder builder;
    walk([&](NodeId node, std::size_t, bool) { builder.node(nodes_.taxonomy().name(node)); }, [](std::size_t) {});
    for (const NodeId parent : nodes_.in_input_order()) {
      for (const NodeId child : children_[static_cast<std::size_t>(parent)]) {
        builder.edge(nodes_.taxonomy().name(parent), nodes_.taxonomy().name(child));
      }
    }
    const Taxonomy rebuilt = builder.build();
    for (NodeId node = 0; node < rebuilt.size(); ++node) {
      if (rebuilt.name(node) != nodes_.taxonomy().name(node)) return false;
    }
    return true;
  }

 private:
  static std::vector<std::vector<NodeId>> make_children(const StatedNodes& nodes) {
    std::vector<std::vector<NodeId>> children(static_cast<std::size_t>(nodes.taxonomy().size()));
    for (const NodeId node : nodes.in_input_order()) {
      nodes.for_each_parent(node, [&](NodeId parent) { children[static_cast<std::size_t>(parent)].push_back(node); });
    }
    return children;
  }

  const StatedNodes& nodes_;
  std::vector<std::vector<NodeId>> children_;
};

class NestedJsonWriter {
 public:
  NestedJsonWriter(const StatedNodes& nodes, Sink& sink)
      : nodes_(nodes), nesting_(nodes), with_positions_(!nesting_.keeps_order()), sink_(sink) {}

  void write() {
    const bool several = nesting_.roots().size() > 1;
    if (several) sink_.write("[");
    nesting_.walk([&](NodeId node, std::size_t depth, bool opens) { enter(node, depth, opens); },
                  [&](std::size_t /*depth*/) {
                    sink_.write("]}");
                    after_value_ = true;
                  });
    sink_.write(several ? "]\n" : "\n");
  }

 private:
  void enter(NodeId node, std::size_t depth, bool opens) {
    if (2 * depth + 2 > JsonTokens::kDeepest) {
      throw usage_error("nested JSON cannot hold a hierarchy of so many levels",
                        "expected at most " + std::to_string(JsonTokens::kDeepest / 2) + "; use an edge list");
    }
    line_ = after_value_ ? "," : "";
    if (!first_) {
      line_ += '\n';
      line_.append(std::min(depth, kDeepestIndent), ' ');
    }
    first_ = false;
    line_ += "{\"name\": ";
    line_ += nlohmann::json(nodes_.taxonomy().name(node)).dump();
    if (with_positions_) line_ += ", \"input_position\": " + std::to_string(nodes_.rank(node));
    line_ += opens ? ", \"children\": [" : "}";
    after_value_ = !opens;
    sink_.write(line_);
  }

  const StatedNodes& nodes_;
  Nesting nesting_;
  bool with_positions_;
  Sink& sink_;
  std::string line_;
  bool first_ = true;
  bool after_value_ = false;  // the next value of the list needs a comma before it
};

}  // namespace

void write_nested_json(const Taxonomy& taxonomy, const WriteOptions& /*options*/, Sink& sink) {
  const StatedNodes nodes(taxonomy);
  NestedJsonWriter(nodes, sink).write();
}

}  // namespace clade
