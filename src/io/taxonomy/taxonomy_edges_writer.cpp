// Edge lists, written: see taxonomy_edges.cpp for reading.
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_order.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

// Writes lines such that the names come, for the first time, in the order of the input.
class EdgeListWriter {
 public:
  EdgeListWriter(const StatedNodes& nodes, bool parent_first, Sink& sink)
      : nodes_(nodes),
        parent_first_(parent_first),
        sink_(sink),
        named_with_parent_(static_cast<std::size_t>(nodes.taxonomy().size()), kNoNode),
        named_with_child_(named_with_parent_.size(), kNoNode) {}

  void write() {
    sink_.write(parent_first_ ? "parent,child\n" : "child,parent\n");
    const auto order = nodes_.in_input_order();
    while (named_ < std::ssize(order)) introduce(order[static_cast<std::size_t>(named_)]);
    for (const NodeId child : order) {
      nodes_.for_each_parent(child, [&](NodeId parent) {
        if (!is_written(parent, child)) write_edge(parent, child);
      });
    }
  }

 private:
  // Names a node, and the one after it where the two make an edge. All nodes before it have been named.
  void introduce(NodeId node) {
    if (const NodeId parent = nodes_.parent_before(node, named_); parent != kNoNode) {
      introduce_with(parent, node, 1);
    } else if (const NodeId child = child_before(node); child != kNoNode) {
      named_with_child_[static_cast<std::size_t>(node)] = child;
      write_edge(node, child);
      ++named_;
    } else if (const NodeId next = node_after(node); next != kNoNode && is_edge_as_written(node, next)) {
      if (parent_first_) {
        introduce_with(node, next, 2);
      } else {
        introduce_with(next, node, 2);
      }
    } else {
      line_.clear();
      append_name(node);
      end_line();
      ++named_;
    }
  }

  void introduce_with(NodeId parent, NodeId child, NodeId new_names) {
    named_with_parent_[static_cast<std::size_t>(child)] = parent;
    write_edge(parent, child);
    named_ += new_names;
  }

  NodeId child_before(NodeId node) const {
    NodeId found = kNoNode;
    nodes_.for_each_child(node, [&](NodeId child) {
      if (found == kNoNode && nodes_.rank(child) < named_) found = child;
    });
    return found;
  }

  NodeId node_after(NodeId node) const {
    const auto order = nodes_.in_input_order();
    const auto next = static_cast<std::size_t>(nodes_.rank(node)) + 1;
    return next < order.size() ? order[next] : kNoNode;
  }

  bool is_edge_as_written(NodeId first, NodeId second) const {
    return parent_first_ ? nodes_.is_edge(first, second) : nodes_.is_edge(second, first);
  }

  bool is_written(NodeId parent, NodeId child) const {
    return named_with_parent_[static_cast<std::size_t>(child)] == parent ||
           named_with_child_[static_cast<std::size_t>(parent)] == child;
  }

  void write_edge(NodeId parent, NodeId child) {
    line_.clear();
    append_name(parent_first_ ? parent : child);
    line_ += ',';
    append_name(parent_first_ ? child : parent);
    end_line();
  }

  void append_name(NodeId node) {
    const std::string& name = nodes_.taxonomy().name(node);
    const bool plain = fits_on_a_line(name) && name.front() != '#' && name.find_first_of("\",\r") == std::string::npos;
    if (plain) {
      line_ += name;
      return;
    }
    line_ += '"';
    for (const char c : name) line_.append(c == '"' ? 2 : 1, c);
    line_ += '"';
  }

  void end_line() {
    line_ += '\n';
    sink_.write(line_);
  }

  const StatedNodes& nodes_;
  bool parent_first_;
  Sink& sink_;
  // With which parent, or which child, a node was written when it was named first.
  std::vector<NodeId> named_with_parent_;
  std::vector<NodeId> named_with_child_;
  NodeId named_ = 0;  // so many nodes of the order have been named
  std::string line_;
};

}  // namespace

void write_edge_list(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink) {
  const StatedNodes nodes(taxonomy);
  EdgeListWriter(nodes, options.edges_parent_child, sink).write();
}

}  // namespace clade
