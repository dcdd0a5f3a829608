// Nested JSON. Reads {"name": ..., "children": [...]}, {"a": {"b": {}, "c": {}}}, {"a": ["b", "c"]}, and mixtures.
// Writes {"name": ..., "children": [...]}, one node per line; several roots as a list.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json.h"
#include "io/json_tokens.h"
#include "io/lines.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

using Kind = JsonTokens::Kind;
using Token = std::uint32_t;

constexpr std::string_view kExpected =
    "expected {\"name\": ..., \"children\": [...]} or {\"parent\": [\"child\", ...]}";
constexpr std::uint32_t kNoPosition = std::numeric_limits<std::uint32_t>::max();
constexpr Token kNoToken = std::numeric_limits<Token>::max();

struct JsonEdge {
  NodeId parent;
  NodeId child;
  Token token;  // that names the child
};

class NestedJsonReader {
 public:
  NestedJsonReader(const Input& input, const ReadOptions& options)
      : file_(input.name()), text_(input, options.encoding), json_(text_), nodes_(file_) {}

  TaxonomyBuilder read(std::vector<std::string>& notes) {
    if (!json_.is_container(0)) fail(0, "a JSON text without an object or a list");
    open_children(0, kNoNode);
    while (!open_.empty()) step();
    require_nodes(nodes_, text_, kExpected);
    if (ignored_ > 0) {
      notes.push_back(std::to_string(ignored_) +
                      " fields beside name and children ignored (the first: " + quoted_name(first_ignored_) + ")");
    }
    return build();
  }

 private:
  // A container whose entries are still to be read: the elements of a list, or the keys of an object as names.
  struct Open {
    Token container;
    Token next;
    NodeId parent;
  };

  // What an object of the form {"name": ..., "children": ...} holds.
  struct Fields {
    Token name = kNoToken;
    Token children = kNoToken;
    std::uint32_t position = kNoPosition;
    Index others = 0;
    Token first_other = kNoToken;
  };

  void step() {
    Open& top = open_.back();
    const Token entry = top.next;
    const NodeId parent = top.parent;
    const Token container = top.container;
    if (entry == json_.after(container)) {
      open_.pop_back();
      return;
    }
    if (json_.kind(entry) == Kind::kKey) {
      top.next = json_.after(entry + 1);
      open_children(entry + 1, add_node(entry, parent, container));
    } else {
      top.next = json_.after(entry);
      open_node(entry, parent, container);
    }
  }

  // An element of a list: a name, or an object.
  void open_node(Token value, NodeId parent, Token container) {
    if (json_.kind(value) == Kind::kString) {
      add_node(value, parent, container);
    } else if (json_.kind(value) == Kind::kObject) {
      open_object(value, parent, container);
    } else {
      fail(value, "neither a name nor an object");
    }
  }

  // What is below a node: a list, an object, or null.
  void open_children(Token value, NodeId parent) {
    if (json_.kind(value) == Kind::kArray) {
      open_.push_back({value, value + 1, parent});
    } else if (json_.kind(value) == Kind::kObject) {
      open_object(value, parent, value);
    } else if (json_.kind(value) != Kind::kNull) {
      fail(value, "children that are neither a list nor an object");
    }
  }

  void open_object(Token object, NodeId parent, Token container) {
    const Fields fields = fields_of(object);
    if (fields.name == kNoToken) {
      open_.push_back({object, object + 1, parent});
      return;
    }
    if (ignored_ == 0 && fields.others > 0) first_ignored_ = json_.text(fields.first_other);
    ignored_ += fields.others;
    const NodeId node = add_node(fields.name, parent, container);
    if (fields.position != kNoPosition) set_position(node, fields.position);
    if (fields.children != kNoToken) open_children(fields.children, node);
  }

  Fields fields_of(Token object) const {
    Fields fields;
    for (Token key = object + 1; key < json_.after(object); key = json_.after(key + 1)) {
      const std::string_view word = json_.text(key);
      const Token value = key + 1;
      if (word == "name" && json_.kind(value) == Kind::kString) {
        take_once(fields.name, value);
      } else if (word == "children") {
        take_once(fields.children, value);
      } else if (word == "input_position" && json_.kind(value) == Kind::kNumber) {
        fields.position = json_.number(value);
      } else if (fields.others++ == 0) {
        fields.first_other = key;
      }
    }
    return fields;
  }

  void take_once(Token& field, Token value) const {
    if (field != kNoToken) fail(value, "a field given twice in one object");
    field = value;
  }

  NodeId add_node(Token name, NodeId parent, Token container) {
    if (json_.text(name).empty()) fail(name, "an empty name");
    const NodeId node = nodes_.node(json_.text(name));
    if (static_cast<std::size_t>(node) == seen_in_.size()) {
      seen_in_.push_back(kNoToken);
      positions_.push_back(kNoPosition);
    }
    // A node in two places has two parents, or its children are merged; twice in one list is an error.
    if (seen_in_[static_cast<std::size_t>(node)] == container) {
      fail(name, "node " + quoted_name(json_.text(name)) + " stands twice in one list", "expected each child once");
    }
    seen_in_[static_cast<std::size_t>(node)] = container;
    if (parent != kNoNode) edges_.push_back({parent, node, name});
    return node;
  }

  void set_position(NodeId node, std::uint32_t position) {
    has_positions_ = true;
    positions_[static_cast<std::size_t>(node)] = position;
  }

  TaxonomyBuilder build() {
    std::vector<NodeId> order(positions_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<NodeId>(k);
    TaxonomyBuilder builder(file_);
    if (has_positions_) {
      std::ranges::sort(order, {},
                        [&](NodeId node) { return std::pair(positions_[static_cast<std::size_t>(node)], node); });
      for (const NodeId node : order) builder.node(nodes_.name(node));
    } else {
      builder = std::move(nodes_);
    }
    std::vector<NodeId> number(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) number[static_cast<std::size_t>(order[k])] = static_cast<NodeId>(k);
    builder.merge_repeated_edges(true);
    std::vector<std::size_t> line_ends = ends_of_lines();
    for (const JsonEdge& edge : edges_) {
      const auto line = std::ranges::lower_bound(line_ends, json_.offset(edge.token)) - line_ends.begin() + 1;
      builder.edge(number[static_cast<std::size_t>(edge.parent)], number[static_cast<std::size_t>(edge.child)], line);
    }
    return builder;
  }

  std::vector<std::size_t> ends_of_lines() const {
    std::vector<std::size_t> ends;
    const std::string_view text = text_.text();
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      ends.push_back(at);
    }
    return ends;
  }

  [[noreturn]] void fail(Token at, std::string_view problem, std::string_view expected = kExpected) const {
    throw input_error(text_.at(json_.offset(at)), problem, expected);
  }

  std::string file_;
  Utf8Text text_;
  JsonTokens json_;
  TaxonomyBuilder nodes_;  // names in the order of the text
  std::vector<JsonEdge> edges_;
  std::vector<Token> seen_in_;            // node -> the list that named it last
  std::vector<std::uint32_t> positions_;  // node -> its place in the order, if stated
  bool has_positions_ = false;
  std::vector<Open> open_;
  Index ignored_ = 0;
  std::string first_ignored_;
};

}  // namespace

TaxonomyBuilder read_nested_json(const Input& input, const ReadOptions& options, std::vector<std::string>& notes) {
  return NestedJsonReader(input, options).read(notes);
}

namespace {

// Takes a string in quotes, and the blanks behind it, off `text`.
std::string_view take_quoted(std::string_view& text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  const std::string_view quoted = text.substr(0, end + 1);
  text = trim(text.substr(std::min(text.size(), end + 1)));
  return quoted;
}

// Rows of data are objects whose first field is a text or a number. A node is that only if it is a name alone.
bool begins_with_row(std::string_view array) {
  std::string_view text = trim(array.substr(1));
  if (!text.starts_with('{') || array.find("\"children\"") != std::string_view::npos) return false;
  text = trim(text.substr(1));
  if (!text.starts_with('"')) return false;
  const bool is_name = take_quoted(text) == "\"name\"";
  if (!text.starts_with(':')) return false;
  text = trim(text.substr(1));
  if (text.empty() || text[0] == '[' || text[0] == '{') return false;
  if (!is_name || text[0] != '"') return true;
  take_quoted(text);
  return text.starts_with(',');
}

}  // namespace

bool is_nested_json(std::string_view head) {
  if (!looks_like_nested_json(head)) return false;
  std::string_view text = trim(without_byte_order_mark(head));
  if (text.starts_with('[')) return !begins_with_row(text);
  text = trim(text.substr(1));
  return text.starts_with("\"name\"") && text.find("\"children\"") != std::string_view::npos;
}

bool looks_like_nested_json(std::string_view head) {
  const std::string_view text = trim(without_byte_order_mark(head));
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const std::string_view rest = trim(text.substr(1));
  return rest.empty() || std::string_view("{[\"]}").find(rest[0]) != std::string_view::npos;
}

namespace {

constexpr std::size_t kDeepestIndent = 40;  // lines are not indented deeper, so that chains stay linear

// The stated nodes in the order in which nesting names them: depth first, siblings in the order of the input. A node
// has its children at its first place; at further places, below its other parents, it stands alone.
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

  // Does a reader that numbers nodes as nesting names them get the same taxonomy?
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
    line_ += dump_json(nlohmann::json(nodes_.taxonomy().name(node)), -1, InvalidUtf8::Refuse);
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
