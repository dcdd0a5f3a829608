// OBO (gene ontology and others): terms are nodes, named by their ids; is_a and part_of are edges.
#include <fmt/core.h>

#include <optional>
#include <unordered_set>

#include "io/lines.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/taxonomy/taxonomy_text.h"

namespace clade {
namespace {

constexpr std::string_view kExpected = "expected stanzas [Term] with the lines `id: ID` and `is_a: ID`";

// The value without a trailing comment (! ...) and trailing modifiers ({...}).
std::string_view without_trailers(std::string_view value) {
  std::size_t end = 0;
  while (end < value.size() && value[end] != '!' && value[end] != '{') end += value[end] == '\\' ? 2 : 1;
  return trim(value.substr(0, end));
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\\' || k + 1 == text.size()) {
      result += text[k];
      continue;
    }
    const char c = text[++k];
    result += c == 'W' ? ' ' : c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return result;
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '\n') {
      result += c == ' ' ? "\\W" : c == '\t' ? "\\t" : "\\n";
    } else {
      if (c == '\\' || c == '!' || c == '{') result += '\\';
      result += c;
    }
  }
  return result;
}

class OboReader {
 public:
  OboReader(const Input& input, const ReadOptions& options)
      : input_(input), text_(input, options.encoding), builder_(input.name()) {
    builder_.merge_repeated_edges(true);
  }

  TaxonomyBuilder read(std::vector<std::string>& notes) {
    NumberedLines lines(text_.text());
    std::string_view line;
    while (lines.next(line)) {
      const std::string_view content = trim(line);
      if (content.empty() || content.front() == '!') continue;
      line_ = lines.number();
      if (content.front() == '[') {
        begin_stanza(content);
      } else {
        take_tag(content);
      }
    }
    end_term();
    require_nodes(builder_, text_, kExpected);
    add_edges();
    if (!obsolete_.empty()) notes.push_back(std::to_string(obsolete_.size()) + " obsolete terms skipped");
    if (other_relationships_ > 0) {
      notes.push_back(std::to_string(other_relationships_) + " relationships other than is_a and part_of ignored");
    }
    return std::move(builder_);
  }

 private:
  struct Edge {
    NodeId child;
    std::string_view parent;  // still escaped
    Index line;
  };

  struct Term {
    Index line = 0;  // of [Term]; 0: none is open
    std::optional<std::string> id;
    bool obsolete = false;
    std::vector<Edge> edges;
  };

  void begin_stanza(std::string_view content) {
    end_term();
    const std::size_t end = content.find(']');
    if (end == std::string_view::npos) fail(line_, "a stanza name that is not closed", "expected a line like [Term]");
    if (content.substr(0, end + 1) == "[Term]") term_.line = line_;
  }

  void take_tag(std::string_view content) {
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) fail(line_, "a line without a colon", "expected `tag: value`");
    if (term_.line == 0) return;  // the header, or a stanza that is not a term
    const std::string_view tag = trim(content.substr(0, colon));
    const std::string_view value = without_trailers(content.substr(colon + 1));
    if (tag == "id") {
      take_id(value);
    } else if (tag == "is_a") {
      add_parent(value);
    } else if (tag == "relationship") {
      take_relationship(value);
    } else if (tag == "is_obsolete") {
      term_.obsolete = value == "true";
    }
  }

  void take_id(std::string_view value) {
    if (value.empty()) fail(line_, "an empty id", kExpected);
    if (term_.id) fail(line_, "a second id in one term", "expected one id per [Term]");
    term_.id = unescaped(value);
  }

  void take_relationship(std::string_view value) {
    const std::size_t blank = value.find_first_of(" \t");
    if (blank == std::string_view::npos)
      fail(line_, "a relationship without an id", "expected `relationship: part_of ID`");
    if (value.substr(0, blank) == "part_of") {
      add_parent(trim(value.substr(blank)));
    } else {
      ++term_other_;
    }
  }

  void add_parent(std::string_view id) {
    if (id.empty()) fail(line_, "an empty parent", "expected `is_a: ID`");
    term_.edges.push_back({kNoNode, id, line_});
  }

  void end_term() {
    if (term_.line != 0) {
      if (!term_.id) fail(term_.line, "a term without an id", kExpected);
      if (builder_.find(*term_.id) || obsolete_.contains(*term_.id)) {
        fail(term_.line, "term " + quoted_name(*term_.id) + " is defined twice", "expected one [Term] per id");
      }
      if (term_.obsolete) {
        obsolete_.insert(*term_.id);
      } else {
        const NodeId node = builder_.node(*term_.id);
        for (Edge& edge : term_.edges) edges_.push_back({node, edge.parent, edge.line});
        other_relationships_ += term_other_;
      }
    }
    term_ = {};
    term_other_ = 0;
  }

  // Parents may be defined after their children, so edges wait for the end.
  void add_edges() {
    for (const Edge& edge : edges_) {
      const std::string name = unescaped(edge.parent);
      const auto parent = builder_.find(name);
      if (!parent) {
        fail(edge.line, "parent " + quoted_name(name) + (obsolete_.contains(name) ? " is obsolete" : " is not defined"),
             "expected the id of a [Term]");
      }
      builder_.edge(*parent, edge.child, edge.line);
    }
  }

  [[noreturn]] void fail(Index line, std::string_view problem, std::string_view expected) const {
    throw input_error(input_.at_line(line), problem, expected);
  }

  const Input& input_;
  Utf8Text text_;
  TaxonomyBuilder builder_;
  Term term_;
  Index term_other_ = 0;
  Index line_ = 0;
  std::vector<Edge> edges_;
  std::unordered_set<std::string> obsolete_;
  Index other_relationships_ = 0;
};

}  // namespace

TaxonomyBuilder read_obo(const Input& input, const ReadOptions& options, std::vector<std::string>& notes) {
  return OboReader(input, options).read(notes);
}

bool looks_like_obo(std::string_view head) {
  NumberedLines lines(without_byte_order_mark(head));
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view content = trim(line);
    if (content.starts_with("[Term]") || content.starts_with("format-version:")) return true;
  }
  return false;
}

void write_obo(const Taxonomy& taxonomy, const WriteOptions& /*options*/, Sink& sink) {
  const StatedNodes nodes(taxonomy);
  sink.write("format-version: 1.2\n");
  for (const NodeId node : nodes.in_input_order()) {
    const std::string id = escaped(taxonomy.name(node));
    if (trim(id).size() != id.size()) {
      throw usage_error("OBO cannot hold the name " + quoted_name(taxonomy.name(node)),
                        "it begins or ends with a blank");
    }
    std::string stanza = fmt::format("\n[Term]\nid: {0}\nname: {0}\n", id);
    nodes.for_each_parent(node, [&](NodeId parent) { stanza += "is_a: " + escaped(taxonomy.name(parent)) + "\n"; });
    sink.write(stanza);
  }
}

}  // namespace clade
