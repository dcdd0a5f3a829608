#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "data/node_table.h"
#include "math/sparse.h"

namespace clade {

// An iteration costs p^3 / 3 by features and n^2 p + n^3 / 3 by samples: equal near n = p / 2. Where features are so
// many that their matrix would be a burden, only n >= p speaks for it.
bool is_cheaper_by_features(Index samples, Index features);

// What the solver knows of one internal node: min ||X W - Y||^2 + ... with X the samples below it and Y its children.
// A tall node (at least half as many samples as features) keeps X'X; a wide one keeps X itself, as columns.
struct NodeProblem {
  const NodeTable* table = nullptr;
  std::string name;  // of the node, for messages
  bool is_tall = false;
  Matrix gram;                // tall: X'X, lower triangle
  Matrix dense;               // wide, dense data: X'
  SparseColumns sparse;       // wide, sparse data: X'
  SparseColumns by_feature;   // and X
  Matrix right;               // X'Y, with columns of zeros up to the common width
  double squared_labels = 0;  // ||Y||^2

  Index samples() const { return table->samples(); }
  Index classes() const { return table->classes(); }
};

// Y of a node, as a matrix.
Matrix label_matrix(const NodeProblem& node, Index width);
// X'X of a node, lower triangle: kept or, where the node is wide, made now.
Matrix gram_of(const NodeProblem& node, Index features, Context& ctx);

// The problems of all internal nodes, and how they are related.
class Problem {
 public:
  // Computes X'X once over the data where that is possible: in a tree with one label per sample a node's is the sum of
  // its children's. `data` and `tables` must outlive this.
  Problem(const Dataset& data, const std::vector<NodeTable>& tables, Context& ctx);

  const Dataset& data() const { return data_; }
  std::size_t size() const { return nodes_.size(); }
  const NodeProblem& node(std::size_t i) const { return nodes_[i]; }
  Index features() const { return features_; }
  Index width() const { return width_; }  // columns of every W: the most children any node has

  // Internal nodes by number: those above, those below, and those that share a parent and are neither.
  const std::vector<std::size_t>& parents(std::size_t i) const { return parents_[i]; }
  const std::vector<std::size_t>& children(std::size_t i) const { return children_[i]; }
  const std::vector<std::size_t>& siblings(std::size_t i) const { return siblings_[i]; }

  // Samples [begin, end) of a node as dense columns: X' restricted to them.
  Matrix columns(std::size_t i, Index begin, Index end) const;

 private:
  void find_relations();
  void build_node(std::size_t i, Context& ctx);
  void build_grams(Context& ctx);
  void add_gram(const std::vector<Index>& rows, Matrix& gram, Context& ctx) const;

  const Dataset& data_;
  const std::vector<NodeTable>& tables_;
  Index features_;
  Index width_ = 0;
  std::vector<NodeProblem> nodes_;
  std::vector<std::vector<std::size_t>> parents_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<std::size_t>> siblings_;
};

}  // namespace clade
