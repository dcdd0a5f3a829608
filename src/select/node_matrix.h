#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <cmath>
#include <span>

#include "data/node_table.h"
#include "math/sparse.h"

namespace clade {

// Correctly rounded square roots. Eigen's differ in the last digits between the body of a vector and its end, which
// would give equal features different weights.
inline Vector square_roots(const Vector& values) {
  return values.unaryExpr([](double v) { return std::sqrt(v); });
}

// Some samples of sparse data, as columns.
SparseColumns sparse_columns(const Dataset& data, std::span<const Index> rows);

// The lower triangle of C += X' diag(v) X, features x features, over some samples of sparse data, in their order.
void add_sparse_gram(const Dataset& data, std::span<const Index> rows, const Vector& v, Matrix& c, Context& ctx);

// The feature values X (samples x features) of a node's sub-table as an operator. Dense rows go to the BLAS in blocks
// of fixed size, without a full copy; sparse rows are multiplied as they are stored. Every sum has a fixed order, so
// results do not depend on the number of threads. The data set and the table must outlive it.
class NodeMatrix {
 public:
  NodeMatrix(const Dataset& data, const NodeTable& table);

  Index samples() const { return std::ssize(table_.rows); }
  Index features() const { return data_.features(); }

  // Lower triangle of X' diag(e) X, features x features. Dense: n p^2 operations; sparse: the sum over rows of
  // non-zeros^2 / 2.
  void feature_gram(const Vector& e, Matrix& gram, Context& ctx) const;
  // Lower triangle of X diag(d) X', samples x samples. Dense: n^2 p operations; sparse: the sum over features of
  // non-zeros^2 / 2, with two copies of what is stored.
  void sample_gram(const Vector& d, Matrix& gram, Context& ctx) const;
  // A X, where A has a column per sample and the result one per feature; and W X', where W has a column per feature and
  // the result one per sample. In this layout, what belongs to one sample or feature is contiguous.
  Matrix times(const Matrix& a, Context& ctx) const;
  Matrix times_transposed(const Matrix& w, Context& ctx) const;

 private:
  // Samples [first, first + columns of block) and features [begin, begin + rows of block) as a dense block.
  void fill(Index first, Index begin, Eigen::Ref<Matrix> block) const;
  Index sample(Index row) const { return table_.rows[static_cast<std::size_t>(row)]; }

  const Dataset& data_;
  const NodeTable& table_;
  bool sparse_;  // multiply as sparse: stored that way, and empty enough for it to pay
};

}  // namespace clade
