// Edge lists: two columns, child and parent or the other way round, separated by a tab, a comma or blanks.

#include <algorithm>
#include <optional>
#include <utility>

#include "io/delimited.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_records.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

constexpr std::string_view kExpected = "expected lines of two names, child and parent (one name for a root)";

// The positions of child and parent in a record of `width` fields.
struct Columns {
  std::size_t child = 0;
  std::size_t parent = 1;
  std::size_t width = 2;
};

// The columns that a header names, or nothing if these fields are not a header.
std::optional<Columns> header_columns(std::span<const std::string> fields) {
  const auto column_of = [&](std::string_view word) {
    return std::ranges::find_if(fields, [&](const std::string& field) { return equal_ignoring_case(field, word); }) -
           fields.begin();
  };
  const auto count_of = [&](std::string_view word) {
    return std::ranges::count_if(fields, [&](const std::string& field) { return equal_ignoring_case(field, word); });
  };
  if (count_of("child") != 1 || count_of("parent") != 1) return std::nullopt;
  return Columns{.child = static_cast<std::size_t>(column_of("child")),
                 .parent = static_cast<std::size_t>(column_of("parent")),
                 .width = fields.size()};
}

// A line of two names, before it is known which one is the parent.
struct NamePair {
  NodeId first;
  NodeId second;
  Index line;
};

class EdgeListReader {
 public:
  EdgeListReader(const Input& input, const Utf8Text& text)
      : text_(text), builder_(input.name()), records_(text, column_separator(text.text())) {}

  TaxonomyBuilder read(EdgeOrder order, std::vector<std::string>& notes) {
    bool is_first = true;
    while (records_.next()) {
      if (!std::exchange(is_first, false) || !take_header(order)) add_record();
    }
    require_nodes(builder_, text_, kExpected);
    if (records_.comments() > 0) {
      notes.push_back(std::to_string(records_.comments()) + " lines that begin with # passed over");
    }
    if (order == EdgeOrder::kAuto) order = order_with_fewer_roots(notes);
    for (const NamePair& pair : pairs_) add_edge(pair, order);
    return std::move(builder_);
  }

 private:
  bool take_header(EdgeOrder& order) {
    const auto header = header_columns(records_.fields());
    if (!header) return false;
    columns_ = *header;
    order = columns_.child < columns_.parent ? EdgeOrder::kChildParent : EdgeOrder::kParentChild;
    return true;
  }

  void add_record() {
    const auto fields = records_.fields();
    if (fields.size() == 1) {
      builder_.node(name(0));
      return;
    }
    if (fields.size() != columns_.width) {
      throw input_error(records_.at(),
                        std::to_string(fields.size()) + " columns instead of " + std::to_string(columns_.width),
                        kExpected);
    }
    const auto [left, right] = std::minmax(columns_.child, columns_.parent);
    const NodeId first = builder_.node(name(left));
    pairs_.push_back({first, builder_.node(name(right)), records_.line()});
  }

  const std::string& name(std::size_t column) const {
    const std::string& text = records_.fields()[column];
    if (text.empty()) {
      throw input_error(records_.at_field(column), "an empty name", "a node without parent stands alone on its line");
    }
    return text;
  }

  void add_edge(const NamePair& pair, EdgeOrder order) {
    if (order == EdgeOrder::kChildParent) {
      builder_.edge(pair.second, pair.first, pair.line);
    } else {
      builder_.edge(pair.first, pair.second, pair.line);
    }
  }

  // Most hierarchies have few parents: the wrong reading has many roots, the right one few.
  EdgeOrder order_with_fewer_roots(std::vector<std::string>& notes) const {
    const auto roots_if_child_is = [&](NodeId NamePair::* child) {
      std::vector<bool> has_parent(static_cast<std::size_t>(builder_.size()), false);
      for (const NamePair& pair : pairs_) has_parent[static_cast<std::size_t>(pair.*child)] = true;
      return std::ranges::count(has_parent, false);
    };
    const auto child_first = roots_if_child_is(&NamePair::first);
    const auto parent_first = roots_if_child_is(&NamePair::second);
    if (child_first <= parent_first) return EdgeOrder::kChildParent;
    notes.push_back("edges read as parent, child: as child, parent they would have " + std::to_string(child_first) +
                    " roots instead of " + std::to_string(parent_first));
    return EdgeOrder::kParentChild;
  }

  const Utf8Text& text_;
  TaxonomyBuilder builder_;
  Records records_;
  Columns columns_;
  std::vector<NamePair> pairs_;
};

}  // namespace

TaxonomyBuilder read_edge_list(const Input& input, const ReadOptions& options, std::vector<std::string>& notes) {
  const Utf8Text text(input, options.encoding);
  return EdgeListReader(input, text).read(options.edges, notes);
}

bool looks_like_edge_list(std::string_view head) {
  NumberedLines lines(without_byte_order_mark(head));
  std::string_view line;
  while (lines.next(line)) {
    if (is_comment_or_blank(line)) continue;
    std::vector<std::string> words(1);
    for (const char c : line) {
      if (c == ',' || c == '\t' || c == ' ' || c == '\r') {
        words.emplace_back();
      } else if (c != '"') {
        words.back() += c;
      }
    }
    return header_columns(words).has_value();
  }
  return false;
}

namespace {

// Writes lines so that names first appear in the order of the input.
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
  // Names a node, and the one after it if the two make an edge. All nodes before it have been named.
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
  // The parent, or the child, with which a node was written when it was first named.
  std::vector<NodeId> named_with_parent_;
  std::vector<NodeId> named_with_child_;
  NodeId named_ = 0;  // how many nodes of the order have been named
  std::string line_;
};

}  // namespace

void write_edge_list(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink) {
  const StatedNodes nodes(taxonomy);
  EdgeListWriter(nodes, options.edges_parent_child, sink).write();
}

}  // namespace clade
