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

// Where child and parent stand in a record of `width` fields.
struct Columns {
  std::size_t child = 0;
  std::size_t parent = 1;
  std::size_t width = 2;
};

// The columns that a header names, or nothing if these fields are no header.
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

// Lines of two names, before it is known which of them is the parent.
struct NamePair {
  NodeId first;
  NodeId second;
  Index line;
};

class EdgeListReader {
 public:
  EdgeListReader(const Input& input, const TaxonomyText& text)
      : text_(text), builder_(input.name()), records_(text, column_separator(text.text())) {}

  TaxonomyBuilder read(EdgeOrder order, std::vector<std::string>& notes) {
    bool is_first = true;
    while (records_.next()) {
      if (!std::exchange(is_first, false) || !take_header(order)) add_record();
    }
    text_.require_nodes(builder_, kExpected);
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

  // In most hierarchies the parents are few: the wrong reading has many roots, the right one few.
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

  const TaxonomyText& text_;
  TaxonomyBuilder builder_;
  Records records_;
  Columns columns_;
  std::vector<NamePair> pairs_;
};

}  // namespace

TaxonomyBuilder read_edge_list(const Input& input, const ReadOptions& options, std::vector<std::string>& notes) {
  const TaxonomyText text(input, options);
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

}  // namespace clade
