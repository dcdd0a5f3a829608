#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/node_owners.h"
#include "data/node_table.h"
#include "math/sparse.h"

namespace clade {

// An iteration costs p^3 / 3 by features and n^2 p + n^3 / 3 by samples; the two are equal near n = p / 2. If there are
// so many features that their matrix would be a burden, features are chosen only from n >= p on.
bool is_cheaper_by_features(Index samples, Index features);

// What the solver knows about one internal node: min ||X W - Y||^2 + ..., where X are the samples below it and Y its
// children. A tall node (at least half as many samples as features) keeps X'X; a wide one keeps X itself, as columns.
struct NodeProblem {
  const NodeTable* table = nullptr;
  std::string name;  // for messages
  bool is_tall = false;
  Matrix gram;                // tall: X'X, lower triangle
  Matrix dense;               // wide, dense data: X'
  SparseColumns sparse;       // wide, sparse data: X'
  SparseColumns by_feature;   // and X
  Matrix right;               // X'Y, padded with zero columns to the common width
  double squared_labels = 0;  // ||Y||^2

  Index samples() const { return table->samples(); }
  Index classes() const { return table->classes(); }
};

// Y of a node, as a matrix.
Matrix label_matrix(const NodeProblem& node, Index width);
// X'X of a node, lower triangle; computed now if the node is wide.
Matrix gram_of(const NodeProblem& node, Index features, Context& ctx);

// The problems of all internal nodes, and how they are related.
class Problem {
 public:
  // Goes only once over the data if possible: in a tree with one label per sample, X'X of a node is the sum of its
  // children's, and so are columns of X'Y. `data` and `tables` must outlive this.
  // Where nodes are shared, only those of this process get matrices, which must be completed, level after level, before
  // they are used.
  Problem(const Dataset& data, const std::vector<NodeTable>& tables, Context& ctx, NodeOwners owners = {});

  const Dataset& data() const { return data_; }
  const NodeOwners& owners() const { return owners_; }
  std::size_t size() const { return nodes_.size(); }
  const NodeProblem& node(std::size_t i) const { return nodes_[i]; }
  Index features() const { return features_; }
  Index width() const { return width_; }  // columns of every W: the most children any node has

  // Numbers of internal nodes: the parents, the children, and those that share a parent but are neither.
  const std::vector<std::size_t>& parents(std::size_t i) const { return parents_[i]; }
  const std::vector<std::size_t>& children(std::size_t i) const { return children_[i]; }
  const std::vector<std::size_t>& siblings(std::size_t i) const { return siblings_[i]; }

  // The matrix of a node is the sum of its children's on lower levels. Without such children a node is on level 0, and
  // complete from the beginning.
  int level(std::size_t i) const { return level_[i]; }
  int levels() const { return level_.empty() ? 0 : 1 + std::ranges::max(level_); }
  // Waits for the children's matrices of the own nodes of a level, which their owners tell when they complete theirs:
  // every process calls it for all levels, from 1 on.
  void complete_level(int level, Context& ctx);

  // Samples [begin, end) of a node as dense columns: X' restricted to them.
  Matrix columns(std::size_t i, Index begin, Index end) const;

 private:
  void find_relations();
  void find_levels();
  void build_node(std::size_t i, Context& ctx);
  void add_right(const NodeTable& table, Matrix& right, Context& ctx) const;
  void build_grams(Context& ctx);
  void add_children(std::size_t i, Context& ctx);
  void tell_gram(std::size_t i) const;
  void add_rights_of_children(std::size_t i);
  // What the owner of a node tells the owners of its parents.
  enum class Told { kGram, kSums };
  void tell_parents(std::size_t i, Told what, const std::string& bytes) const;
  std::string told_by(std::size_t child, Told what);
  std::vector<Index> rows_of_no_child(std::size_t i) const;
  void add_gram(const std::vector<Index>& rows, Matrix& gram, Context& ctx) const;

  const Dataset& data_;
  const std::vector<NodeTable>& tables_;
  NodeOwners owners_;
  Index features_;
  Index width_ = 0;
  std::vector<NodeProblem> nodes_;
  std::vector<std::vector<std::size_t>> parents_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<std::size_t>> siblings_;
  std::vector<int> level_;
  bool sums_up_;                                               // a tree, and one label per sample
  std::map<std::pair<std::size_t, Told>, std::string> early_;  // what came before it was needed
};

}  // namespace clade
