// Child lists: one line per inner node, `parent<TAB>child<TAB>child...`; a line with one name states a node.
#include <algorithm>

#include "io/lines.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

constexpr std::string_view kExpected = "expected lines of tab-separated names: parent, child, child, ...";

// The names of one line, from the left.
class Names {
 public:
  Names(const Utf8Text& text, std::string_view line) : text_(text), rest_(line) {}

  bool next(std::string_view& name) {
    if (done_) return false;
    const std::size_t tab = rest_.find('\t');
    const std::string_view field = rest_.substr(0, tab);
    name = trim(field);
    if (name.empty()) throw input_error(text_.at(field), "an empty name", kExpected);
    done_ = tab == std::string_view::npos;
    if (!done_) rest_.remove_prefix(tab + 1);
    return true;
  }

 private:
  const Utf8Text& text_;
  std::string_view rest_;
  bool done_ = false;
};

// Writes lines so that names first appear in the order of the input.
class ChildListWriter {
 public:
  ChildListWriter(const StatedNodes& nodes, Sink& sink)
      : nodes_(nodes),
        sink_(sink),
        listed_by_(static_cast<std::size_t>(nodes.taxonomy().size()), kNoNode),
        heads_(listed_by_.size(), false) {}

  void write() {
    const auto order = nodes_.in_input_order();
    while (named_ < std::ssize(order)) {
      const NodeId node = order[static_cast<std::size_t>(named_)];
      const NodeId parent = nodes_.parent_before(node, named_);
      if (parent == kNoNode) {
        introduce(node);
      } else {
        line_ = text_of(parent);
      }
      append_new_children(parent == kNoNode ? node : parent);
      end_line();
    }
    write_remaining_edges();
  }

 private:
  // Begins the line of a node that no line has named yet, with those of its children that were named before.
  void introduce(NodeId node) {
    line_ = text_of(node);
    heads_[static_cast<std::size_t>(node)] = true;
    ++named_;
    nodes_.for_each_child(node, [&](NodeId child) {
      if (nodes_.rank(child) < nodes_.rank(node)) append(child);
    });
  }

  // Appends the next nodes in the order as long as they are children of `parent`.
  void append_new_children(NodeId parent) {
    const auto order = nodes_.in_input_order();
    while (named_ < std::ssize(order) && nodes_.is_edge(parent, order[static_cast<std::size_t>(named_)])) {
      const NodeId child = order[static_cast<std::size_t>(named_++)];
      listed_by_[static_cast<std::size_t>(child)] = parent;
      append(child);
    }
  }

  void write_remaining_edges() {
    for (const NodeId parent : nodes_.in_input_order()) {
      line_.clear();
      nodes_.for_each_child(parent, [&](NodeId child) {
        if (is_written(parent, child)) return;
        if (line_.empty()) line_ = text_of(parent);
        append(child);
      });
      if (!line_.empty()) end_line();
    }
  }

  bool is_written(NodeId parent, NodeId child) const {
    return listed_by_[static_cast<std::size_t>(child)] == parent ||
           (heads_[static_cast<std::size_t>(parent)] && nodes_.rank(child) < nodes_.rank(parent));
  }

  void append(NodeId child) {
    line_ += '\t';
    line_ += text_of(child);
  }

  void end_line() {
    line_ += '\n';
    sink_.write(line_);
  }

  const std::string& text_of(NodeId node) const {
    const std::string& name = nodes_.taxonomy().name(node);
    if (!fits_on_a_line(name) || name.find('\t') != std::string::npos) {
      throw usage_error("child lists cannot hold the name " + quoted_name(name),
                        "names must not contain tabs or line ends, nor begin or end with a blank; use another format");
    }
    return name;
  }

  const StatedNodes& nodes_;
  Sink& sink_;
  std::vector<NodeId> listed_by_;  // the parent on whose line a node was first named
  std::vector<bool> heads_;        // was a node first named at the head of its line?
  NodeId named_ = 0;               // how many nodes of the order have been named
  std::string line_;
};

}  // namespace

TaxonomyBuilder read_child_lists(const Input& input, const ReadOptions& options, std::vector<std::string>& /*notes*/) {
  const Utf8Text text(input, options.encoding);
  TaxonomyBuilder builder(input.name());
  NumberedLines lines(text.text());
  std::string_view line;
  while (lines.next(line)) {
    if (trim(line).empty()) continue;
    Names names(text, line);
    std::string_view name;
    names.next(name);
    const NodeId parent = builder.node(name);
    while (names.next(name)) builder.edge(parent, builder.node(name), lines.number());
  }
  require_nodes(builder, text, kExpected);
  return builder;
}

bool looks_like_child_lists(std::string_view head) {
  if (looks_like_edge_list(head)) return false;
  NumberedLines lines(head);
  std::string_view line;
  while (lines.next(line)) {
    if (std::ranges::count(line, '\t') >= 2) return true;
  }
  return false;
}

void write_child_lists(const Taxonomy& taxonomy, const WriteOptions& /*options*/, Sink& sink) {
  const StatedNodes nodes(taxonomy);
  ChildListWriter(nodes, sink).write();
}

}  // namespace clade
