#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <Eigen/Core>
#include <cmath>

#include "data/node_table.h"

namespace clade {

// Correctly rounded square roots. Eigen's own differ in the last digits between the body of a vector and its end, which
// would give equal features different weights.
inline Eigen::VectorXd square_roots(const Eigen::VectorXd& values) {
  return values.unaryExpr([](double v) { return std::sqrt(v); });
}

// The feature values X (samples x features) of a node's sub-table as an operator: never copied as a whole. Dense rows
// go to the BLAS in blocks of fixed size, sparse rows are multiplied as they are stored. Every sum has one order, so
// results do not depend on the number of threads. The data set and the table must outlive it.
class NodeMatrix {
 public:
  NodeMatrix(const Dataset& data, const NodeTable& table);

  Index samples() const { return std::ssize(table_.rows); }
  Index features() const { return data_.features(); }

  // Lower triangle of X' diag(e) X, features x features. Dense n p^2 operations; sparse the sum over rows of
  // non-zeros^2 / 2.
  void feature_gram(const Eigen::VectorXd& e, Eigen::MatrixXd& gram, Context& ctx) const;
  // Lower triangle of X diag(d) X', samples x samples. Dense n^2 p operations; sparse n x non-zeros / 2.
  void sample_gram(const Eigen::VectorXd& d, Eigen::MatrixXd& gram, Context& ctx) const;
  // A X, for A with a column per sample: a column per feature. And W X', for W with a column per feature: a column per
  // sample. Both lie that way so that what belongs to one sample or feature is contiguous.
  Eigen::MatrixXd times(const Eigen::MatrixXd& a, Context& ctx) const;
  Eigen::MatrixXd times_transposed(const Eigen::MatrixXd& w, Context& ctx) const;

 private:
  // Samples [first, first + columns of block) and features [begin, begin + rows of block) as a dense block.
  void fill(Index first, Index begin, Eigen::Ref<Eigen::MatrixXd> block) const;
  void sparse_feature_gram(const Eigen::VectorXd& e, Eigen::MatrixXd& gram, Context& ctx) const;
  void sparse_sample_gram(const Eigen::VectorXd& d, Eigen::MatrixXd& gram, Context& ctx) const;
  Index sample(Index row) const { return table_.rows[static_cast<std::size_t>(row)]; }

  const Dataset& data_;
  const NodeTable& table_;
  bool sparse_;  // multiply as sparse: stored so, and empty enough for that to pay
};

}  // namespace clade
