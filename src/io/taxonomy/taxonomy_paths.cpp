// Label paths: one path per line, `a/b/c`; each node is named by its whole path, and the root is implied.
#include <algorithm>

#include "io/labels/path_separator.h"
#include "io/lines.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_records.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

// A path of n parts names n nodes, each by all parts above it, so long paths of short parts would need memory quadratic
// in the size of the file. Names may take this many times its bytes, far more than real hierarchies need.
constexpr std::size_t kLargestGrowth = 16;
constexpr std::size_t kSmallFile = 1U << 16U;

std::string expected_path(std::string_view separator) {
  const std::string mark(separator);
  return "expected paths like a" + mark + "b" + mark + "c, one per line";
}

// The position of an empty part in the path, or npos.
std::size_t find_empty_part(std::string_view path, std::string_view separator) {
  for (std::size_t from = 0;;) {
    const std::size_t cut = path.find(separator, from);
    if (cut == from || from == path.size()) return from;
    if (cut == std::string_view::npos) return cut;
    from = cut + separator.size();
  }
}

class PathReader {
 public:
  PathReader(const Input& input, const ReadOptions& options, std::vector<std::string>& notes)
      : text_(input, options.encoding),
        separator_(options.path_separator.empty() ? recognised(notes) : PathSeparator::given(options.path_separator)),
        builder_(input.name()) {
    builder_.imply_root();
  }

  TaxonomyBuilder read() {
    NumberedLines lines(text_.text());
    std::string_view line;
    while (lines.next(line)) {
      const std::string_view path = trim(line);
      if (!path.empty()) add(path, lines.number());
    }
    require_nodes(builder_, text_, expected_path(separator_.join));
    return std::move(builder_);
  }

 private:
  PathSeparator recognised(std::vector<std::string>& notes) const {
    std::vector<std::string> paths;
    NumberedLines lines(text_.text());
    std::string_view line;
    while (lines.next(line)) {
      if (const std::string_view path = trim(line); !path.empty()) paths.emplace_back(path);
    }
    std::vector<std::string> about_choice;
    const PathSeparator found = recognise_separator(paths, false, about_choice);
    // The slash is the rule here: it gives way only to a separator with blanks around it.
    if (!found.blanks) return PathSeparator::given("/");
    notes.insert(notes.end(), about_choice.begin(), about_choice.end());
    return found;
  }

  void add(std::string_view path, Index line) {
    const std::string name = separator_.name_of(path);
    if (name.empty()) {
      const std::size_t at = find_empty_part(path, separator_.mark);
      throw input_error(text_.at(path.substr(at == std::string_view::npos ? 0 : at)), "an empty part in a path",
                        expected_path(separator_.join));
    }
    check_growth(name, path);
    const NodeId before = builder_.size();
    builder_.path(name, separator_.join, line);
    for (NodeId node = before; node < builder_.size(); ++node) name_bytes_ += builder_.name(node).size();
  }

  // Called before a path is added, because one line can be the whole file.
  void check_growth(std::string_view name, std::string_view path) const {
    const std::size_t limit = std::max(kSmallFile, kLargestGrowth * text_.text().size());
    std::size_t bytes = name_bytes_;
    for (std::size_t cut = name.size(); cut != std::string_view::npos; cut = name.rfind(separator_.join, cut - 1)) {
      if (builder_.find(name.substr(0, cut))) break;
      bytes += cut;
      if (bytes > limit) throw input_error(text_.at(path), "paths of too many parts", "use an edge list");
      if (cut == 0) break;
    }
  }

  const Utf8Text text_;
  const PathSeparator separator_;
  TaxonomyBuilder builder_;
  std::size_t name_bytes_ = 0;
};

// The path above its last part, or an empty text at the top. Parts are cut from the left, as in reading.
std::string_view path_above(std::string_view path, std::string_view separator) {
  std::size_t end = 0;
  for (std::size_t cut = path.find(separator); cut != std::string_view::npos;) {
    end = cut;
    cut = path.find(separator, cut + separator.size());
  }
  return path.substr(0, end);
}

void check_is_path(const Taxonomy& taxonomy, NodeId node, std::string_view separator) {
  const std::string& name = taxonomy.name(node);
  const auto parents = taxonomy.parents(node);
  const bool at_top = parents.size() == 1 && parents[0] == taxonomy.root();
  const std::string_view above = at_top ? std::string_view() : std::string_view(taxonomy.name(parents[0]));
  const bool is_path = fits_on_a_line(name) && find_empty_part(name, separator) == std::string_view::npos;
  if (parents.size() == 1 && is_path && path_above(name, separator) == above) return;
  throw usage_error("label paths cannot hold the node " + quoted_name(name),
                    "expected every node to be named by its whole path, like " +
                        quoted_name((at_top ? "" : std::string(above) + std::string(separator)) + "part") +
                        "; an edge list holds any hierarchy");
}

}  // namespace

TaxonomyBuilder read_label_paths(const Input& input, const ReadOptions& options, std::vector<std::string>& notes) {
  return PathReader(input, options, notes).read();
}

bool looks_like_label_paths(std::string_view head) {
  NumberedLines lines(without_byte_order_mark(head));
  std::string_view line;
  bool has_path = false;
  bool all_pairs = true;  // two words on every line are an edge list whose names hold the separator
  while (lines.next(line)) {
    if (is_comment_or_blank(line)) continue;
    if (line.find_first_of("\t,\"") != std::string_view::npos) return false;
    has_path = has_path || line.find('/') != std::string_view::npos || line.find(" > ") != std::string_view::npos;
    const std::string_view content = trim(line);
    all_pairs = all_pairs && std::ranges::count(content, ' ') == 1;
  }
  return has_path && !all_pairs;
}

void write_label_paths(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink) {
  std::string separator = options.path_separator.empty() ? path_separator_of(taxonomy) : options.path_separator;
  if (separator.empty()) separator = "/";
  if (!taxonomy.has_virtual_root()) {
    throw usage_error("label paths cannot hold the root " + quoted_name(taxonomy.name(taxonomy.root())),
                      "they imply a root without a name; an edge list holds any hierarchy");
  }
  const StatedNodes nodes(taxonomy, StatedNodes::Root::kImplied);
  std::vector<NodeId> order(nodes.in_input_order().begin(), nodes.in_input_order().end());
  if (order.empty()) throw usage_error("label paths cannot hold a hierarchy of a root alone", "expected a class");
  // A path names the nodes above it first. If the input did not, the order of ids gives the same taxonomy again.
  if (!nodes.parents_first()) std::ranges::sort(order);
  for (std::size_t k = 0; k < order.size(); ++k) {
    check_is_path(taxonomy, order[k], separator);
    const bool named_by_next = k + 1 < order.size() && nodes.is_edge(order[k], order[k + 1]);
    if (!named_by_next) sink.write(taxonomy.name(order[k]) + "\n");
  }
}

}  // namespace clade
