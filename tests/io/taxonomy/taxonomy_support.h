#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "core/random.h"
#include "io/taxonomy/taxonomy_formats.h"

// What the tests of taxonomy formats share.
namespace clade::testing {

using Reader = TaxonomyBuilder (*)(const Input&, const ReadOptions&, std::vector<std::string>&);
using Writer = void (*)(const Taxonomy&, const WriteOptions&, Sink&);

inline const ReadOptions default_reading;
inline const WriteOptions default_writing;

inline ReadOptions with_encoding(Encoding encoding) {
  ReadOptions options;
  options.encoding = encoding;
  return options;
}
inline ReadOptions with_edges(EdgeOrder order) {
  ReadOptions options;
  options.edges = order;
  return options;
}
inline ReadOptions with_separator(const std::string& separator) {
  ReadOptions options;
  options.path_separator = separator;
  return options;
}
inline WriteOptions written_with_separator(const std::string& separator) {
  WriteOptions options;
  options.path_separator = separator;
  return options;
}
inline WriteOptions parents_first() {
  WriteOptions options;
  options.edges_parent_child = true;
  return options;
}

struct Read {
  Taxonomy taxonomy;
  std::vector<std::string> notes;
};

inline Read read_text(Reader reader, std::string_view text, const ReadOptions& options = default_reading) {
  std::vector<std::string> notes;
  const Input input = Input::from_bytes("t", text);
  TaxonomyBuilder builder = reader(input, options, notes);
  return {builder.build(), notes};
}

inline std::string write_text(Writer writer, const Taxonomy& taxonomy, const WriteOptions& options = default_writing) {
  StringSink sink;
  writer(taxonomy, options, sink);
  return sink.text();
}

// Every node with its parents, in id order: "r; a<r; b<r; c<a,b". The virtual root is marked with a star.
inline std::string outline(const Taxonomy& taxonomy) {
  std::string text;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    text += (node == 0 ? "" : "; ") + taxonomy.name(node);
    if (node == 0 && taxonomy.has_virtual_root()) text += '*';
    for (std::size_t k = 0; k < taxonomy.parents(node).size(); ++k) {
      text += (k == 0 ? "<" : ",") + taxonomy.name(taxonomy.parents(node)[k]);
    }
  }
  return text;
}

inline std::string outline_of(Reader reader, std::string_view text, const ReadOptions& options = default_reading) {
  return outline(read_text(reader, text, options).taxonomy);
}

// Reading and building fails as bad input, at this line (0: none) and column (0: not checked), with this in its text.
inline void expect_error(Reader reader, std::string_view text, Index line, Index column, std::string_view message,
                         const ReadOptions& options = default_reading) {
  try {
    read_text(reader, text, options);
    ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
    EXPECT_EQ(error.where().file, "t") << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
    if (column != 0) {
      EXPECT_EQ(error.where().column, column) << error.what();
    }
    EXPECT_NE(std::string_view(error.what()).find(message), std::string_view::npos) << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
  }
}

inline void expect_not_written(Writer writer, const Taxonomy& taxonomy, std::string_view message,
                               const WriteOptions& options = default_writing) {
  try {
    write_text(writer, taxonomy, options);
    ADD_FAILURE() << "written: " << outline(taxonomy);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    EXPECT_NE(std::string_view(error.what()).find(message), std::string_view::npos) << error.what();
  }
}

// A text of many bytes, for lines that are too long.
inline std::string many(std::size_t count, char c) {
  std::string text;
  text.resize(count, c);
  return text;
}

// Names that files find hard; all of them can stand in a quoting format.
inline std::string hard_name(RandomStream& random, NodeId number) {
  constexpr std::string_view kPieces[] = {
      "a", "b",   "Z9",       " ",  ",",  "\"",  "'",      "#",      "!",  "{",     "}",  "\\",           "\\n",
      ":", "/",   "\xC3\xA9", "\t", "\n", "(x)", "[Term]", "is_a: ", "\r", "child", "//", "\xE2\x82\xAC", ";",
      "|", "\"\""};
  std::string name;
  const Index pieces = random.below(4);
  for (Index k = 0; k < pieces; ++k) name += kPieces[static_cast<std::size_t>(random.below(std::ssize(kPieces)))];
  name += std::to_string(number);
  if (random.below(4) == 0) name += kPieces[static_cast<std::size_t>(random.below(std::ssize(kPieces)))];
  return name;
}

inline std::string plain_name(NodeId number) {
  return "n" + std::to_string(number);
}

struct RandomShape {
  NodeId nodes = 10;
  int most_parents = 1;   // 1: trees
  double root_share = 0;  // chance of a further root
};

// A random hierarchy whose nodes and edges are named in random order.
inline Taxonomy random_taxonomy(RandomStream& random, const RandomShape& shape,
                                const std::function<std::string(NodeId)>& name_of) {
  std::vector<std::string> names(static_cast<std::size_t>(shape.nodes));
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = name_of(static_cast<NodeId>(k));
  struct Edge {
    NodeId parent;
    NodeId child;
  };
  std::vector<Edge> edges;
  for (NodeId child = 1; child < shape.nodes; ++child) {
    if (random.uniform() < shape.root_share) continue;
    const Index parents = 1 + random.below(std::min<Index>(shape.most_parents, child));
    std::vector<NodeId> chosen(static_cast<std::size_t>(parents));
    for (NodeId& parent : chosen) parent = static_cast<NodeId>(random.below(child));
    std::ranges::sort(chosen);
    chosen.erase(std::ranges::unique(chosen).begin(), chosen.end());
    for (const NodeId parent : chosen) edges.push_back({parent, child});
  }
  std::vector<NodeId> mentions(names.size());
  std::iota(mentions.begin(), mentions.end(), 0);
  random.shuffle(std::span<NodeId>(mentions));
  random.shuffle(std::span<Edge>(edges));
  TaxonomyBuilder builder;
  for (const NodeId node : mentions) builder.node(names[static_cast<std::size_t>(node)]);
  for (const Edge& edge : edges) {
    builder.edge(names[static_cast<std::size_t>(edge.parent)], names[static_cast<std::size_t>(edge.child)]);
  }
  return builder.build();
}

}  // namespace clade::testing
