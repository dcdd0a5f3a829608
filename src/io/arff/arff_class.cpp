#include "io/arff/arff_class.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "io/arff/arff_header.h"
#include "io/delimited.h"
#include "io/lines.h"

namespace clade {
namespace {

// Each part of a path is a node named by the path so far. Without a limit, the names of one long path would take memory
// quadratic in its length.
constexpr std::ptrdiff_t kMostPathParts = 100;

Error bad_entry(const Input& input, Index line, std::string_view problem, std::string_view entry) {
  return input_error(input.at_line(line), fmt::format("{} in the class hierarchy: '{}'", problem, shown(entry)),
                     "expected entries such as a,a/b,a/c");
}

std::vector<std::string_view> split_entries(std::string_view entries, const Input& input, Index line) {
  std::vector<std::string_view> result;
  if (trim(entries).empty()) return result;
  for (;;) {
    const std::size_t cut = entries.find(',');
    const std::string_view entry = trim(entries.substr(0, cut));
    if (entry.empty() || entry.starts_with('/') || entry.ends_with('/') || entry.find("//") != std::string_view::npos) {
      throw bad_entry(input, line, "an empty name", entry);
    }
    if (std::count(entry.begin(), entry.end(), '/') >= kMostPathParts) {
      throw bad_entry(input, line, fmt::format("a path of more than {} parts", kMostPathParts), entry);
    }
    result.push_back(entry);
    if (cut == std::string_view::npos) return result;
    entries.remove_prefix(cut + 1);
  }
}

bool are_edges(const std::vector<std::string_view>& entries) {
  return std::ranges::all_of(entries, [](auto entry) { return std::ranges::count(entry, '/') == 1; }) &&
         std::ranges::any_of(entries, [](auto entry) { return entry.starts_with("root/"); });
}

void add_paths(const std::vector<std::string_view>& entries, TaxonomyBuilder& builder, Index line,
               std::vector<std::string>& notes) {
  std::unordered_set<std::string_view> seen;
  Index repeated = 0;
  for (const std::string_view entry : entries) {
    if (!seen.insert(entry).second) ++repeated;
    builder.path(entry, "/", line);
  }
  if (repeated > 0) notes.push_back(fmt::format("skipped {} repeated entries of the class hierarchy", repeated));
}

void add_marked_entries(std::string_view entries, TaxonomyBuilder& builder, const Input& input, Index line) {
  const char* at = entries.data();
  const char* end = at + entries.size();
  skip_blanks(at, end);
  std::string scratch;
  while (at != end) {
    NodeId above = kNoNode;
    for (bool more = true; more;) {
      const ArffWord word = take_arff_word(at, end, "/,", scratch);
      if (!word.closed || (word.text.empty() && !word.quoted)) {
        throw bad_entry(input, line, word.closed ? "an empty name" : "a quote that is not closed", word.text);
      }
      const NodeId node = builder.node(word.text);
      if (above != kNoNode) builder.edge(above, node, line);
      more = at != end && *at == '/';
      if (more && above != kNoNode) throw bad_entry(input, line, "more than one slash in an edge", word.text);
      above = node;
      if (more) ++at;
    }
    if (at != end && ++at == end) throw bad_entry(input, line, "an empty name", {});
  }
}

// Can the name appear in entries and rows without quotes?
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kSpecial = ",@{}%'\"\\";
  const bool controls = std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return !name.empty() && !controls && name != "?" && name.find_first_of(kSpecial) == std::string_view::npos &&
         trim(name).size() == name.size();
}

bool all_names_plain(const Taxonomy& taxonomy) {
  for (NodeId node = taxonomy.has_virtual_root() ? 1 : 0; node < taxonomy.size(); ++node) {
    if (!taxonomy.is_miscellaneous(node) && !is_plain_name(taxonomy.name(node))) return false;
  }
  return true;
}

// Does `name` belong to a child of the node named `above` (empty: of the implied root) in a tree of paths?
bool continues_path(std::string_view name, std::string_view above) {
  if (!above.empty()) {
    if (!name.starts_with(above) || name.size() <= above.size() || name[above.size()] != '/') return false;
    name.remove_prefix(above.size() + 1);
  }
  return !name.empty() && trim(name).size() == name.size() && name.find('/') == std::string_view::npos;
}

bool can_be_paths(const Taxonomy& taxonomy) {
  if (!taxonomy.has_virtual_root() || !taxonomy.is_tree()) return false;
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    if (taxonomy.is_miscellaneous(node)) continue;
    const NodeId parent = taxonomy.parents(node)[0];
    const std::string_view above = parent == taxonomy.root() ? std::string_view() : taxonomy.name(parent);
    if (taxonomy.depth(node) > kMostPathParts || !continues_path(taxonomy.name(node), above)) return false;
  }
  return true;
}

bool is_root_alone(const Taxonomy& taxonomy) {
  return taxonomy.size() == 1 || taxonomy.is_miscellaneous(1);
}

bool can_be_plain_edges(const Taxonomy& taxonomy) {
  if (taxonomy.has_virtual_root() || taxonomy.name(0) != "root" || is_root_alone(taxonomy)) return false;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (taxonomy.name(node).find('/') != std::string::npos) return false;
  }
  return true;
}

}  // namespace

ArffClass read_arff_class(std::string_view entries, ArffClassForm form, const Input& input, Index line,
                          std::vector<std::string>& notes) {
  ArffClass result{.hierarchy = TaxonomyBuilder(input.name())};
  TaxonomyBuilder& builder = result.hierarchy;
  builder.merge_repeated_edges(false);
  if (form != ArffClassForm::kPlain) {
    add_marked_entries(entries, builder, input, line);
    result.quoted_names = true;
    result.root_implied = form == ArffClassForm::kMarkedRootImplied;
  } else if (const auto split = split_entries(entries, input, line); !split.empty() && are_edges(split)) {
    for (const std::string_view entry : split) {
      const std::size_t slash = entry.find('/');
      builder.edge(trim(entry.substr(0, slash)), trim(entry.substr(slash + 1)), line);
    }
  } else {
    add_paths(split, builder, line, notes);
    result.root_implied = true;
  }
  if (result.root_implied) builder.imply_root();
  return result;
}

ArffClassWriter::ArffClassWriter(const Taxonomy& taxonomy) : taxonomy_(taxonomy) {
  const bool plain = all_names_plain(taxonomy);
  paths_ = plain && can_be_paths(taxonomy);
  if (paths_ || (plain && can_be_plain_edges(taxonomy))) return;
  form_ = taxonomy.has_virtual_root() ? ArffClassForm::kMarkedRootImplied : ArffClassForm::kMarked;
}

std::string_view ArffClassWriter::mark() const {
  if (form_ == ArffClassForm::kPlain) return {};
  return form_ == ArffClassForm::kMarked ? kMarkedEdges : kMarkedRootImplied;
}

void ArffClassWriter::append_name(std::string& text, NodeId node) const {
  const std::string& name = taxonomy_.name(node);
  const bool plain = form_ == ArffClassForm::kPlain || (is_plain_name(name) && name.find('/') == std::string::npos);
  plain ? static_cast<void>(text += name) : append_arff_quoted(text, name);
}

// In the order of ids, each with all its parents: a reader then sees the nodes in this order and gives them the same
// ids again.
void ArffClassWriter::append_entries(std::string& text) const {
  bool first = true;
  if (is_root_alone(taxonomy_) && !taxonomy_.has_virtual_root()) append_name(text, taxonomy_.root());
  for (NodeId node = 1; node < taxonomy_.size(); ++node) {
    if (taxonomy_.is_miscellaneous(node)) continue;
    for (const NodeId parent : taxonomy_.parents(node)) {
      if (!first) text += ',';
      first = false;
      const bool bare = paths_ || (parent == taxonomy_.root() && taxonomy_.has_virtual_root());
      if (!bare) {
        append_name(text, parent);
        text += '/';
      }
      append_name(text, node);
    }
  }
}

void ArffClassWriter::append_label(std::string& text, NodeId label) const {
  const NodeId node = taxonomy_.fold(label);
  if (node == taxonomy_.root() && taxonomy_.has_virtual_root() && taxonomy_.name(node) != Taxonomy::kVirtualRootName) {
    throw input_error(
        {}, fmt::format("a label at the implied root '{}' cannot be written as ARFF", shown(taxonomy_.name(node))),
        "expected no class of the name (root)");
  }
  append_name(text, node);
}

}  // namespace clade
