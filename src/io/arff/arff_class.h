#pragma once

#include <clade/taxonomy.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// The entries of `@attribute class hierarchical ...` come in three forms:
//
//   paths   01,01/01,01/03,02      every entry is the full path of a node, and its name; the root is implied
//   edges   root/a,root/b,a/c      every entry is an edge parent/child; recognised by an entry that starts with
//                                  root/ if all entries have one slash
//   marked  'x, y'/z,...           edges of a hierarchy that the other two cannot hold, recognised by a comment line
//                                      % clade: hierarchy=edges
//                                      % clade: hierarchy=edges root=implied
//                                  above the attribute. Names may be quoted, there and in the rows, so that they can
//                                  contain anything. With an implied root, its children are entries without a slash.
enum class ArffClassForm { kPlain, kMarked, kMarkedRootImplied };

constexpr std::string_view kMarkedEdges = "clade: hierarchy=edges";
constexpr std::string_view kMarkedRootImplied = "clade: hierarchy=edges root=implied";

struct ArffClass {
  TaxonomyBuilder hierarchy;
  bool root_implied = false;
  bool quoted_names = false;  // names in rows may be quoted one by one
};

// Throws Error for entries that make no sense; cycles are left to the builder.
ArffClass read_arff_class(std::string_view entries, ArffClassForm form, const Input& input, Index line,
                          std::vector<std::string>& notes);

// How a taxonomy is written: its form, the entries, and its names in rows.
class ArffClassWriter {
 public:
  explicit ArffClassWriter(const Taxonomy& taxonomy);

  // The comment line above the attribute without "% "; empty: none.
  std::string_view mark() const;
  void append_entries(std::string& text) const;
  // Appends a label as it appears in a row. Throws Error if it cannot be expressed.
  void append_label(std::string& text, NodeId label) const;

 private:
  void append_name(std::string& text, NodeId node) const;

  const Taxonomy& taxonomy_;
  ArffClassForm form_ = ArffClassForm::kPlain;
  bool paths_ = false;
};

}  // namespace clade
