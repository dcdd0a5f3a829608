#include "select/node_matrix.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "math/blas/blas.h"
#include "select/row_values.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;
constexpr Index kBlock = 1024;  // samples or features per product
// Multiplying scattered values costs about thirty times as much as in the BLAS, but a sparse Gram matrix needs only
// (share of non-zeros)^2 / 2 as many multiplications.
constexpr double kSparseShare = 0.15;

int as_int(Index i) {
  return static_cast<int>(i);
}

double stored_share(const Dataset& data, const NodeTable& table) {
  return std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          double stored = 0;
          for (const Index s : table.rows) stored += static_cast<double>(m.row_indices(data.source_row(s)).size());
          return stored / std::max(1.0, static_cast<double>(table.samples()) * static_cast<double>(m.columns));
        } else {
          return 1.0;
        }
      },
      data.matrix());
}

}  // namespace

SparseColumns sparse_columns(const Dataset& data, std::span<const Index> rows) {
  SparseColumns result(data.features(), std::ssize(rows));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    result.startVec(static_cast<Index>(k));
    data.for_each_value(rows[k], [&](FeatureIndex f, auto value) {
      result.insertBack(f, static_cast<Index>(k)) = static_cast<double>(value);
    });
  }
  result.finalize();
  return result;
}

void add_sparse_gram(const Dataset& data, std::span<const Index> rows, const Vector& v, Matrix& c, Context& ctx) {
  constexpr std::size_t kRowsPerBlock = 16384;  // with two copies of a block at a time
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsPerBlock) {
    const std::size_t count = std::min(kRowsPerBlock, rows.size() - begin);
    const SparseColumns columns = sparse_columns(data, rows.subspan(begin, count));
    add_weighted_square(columns.transpose(), columns, v.segment(static_cast<Index>(begin), static_cast<Index>(count)),
                        c, ctx);
  }
}

NodeMatrix::NodeMatrix(const Dataset& data, const NodeTable& table)
    : data_(data), table_(table), sparse_(stored_share(data, table) < kSparseShare) {}

void NodeMatrix::fill(Index first, Index begin, MatrixRef block) const {
  block.setZero();
  for (Index r = 0; r < block.cols(); ++r) {
    double* const column = block.col(r).data();
    for_each_value_between(data_, sample(first + r), begin, begin + block.rows(),
                           [&](Index j, double x) { column[j - begin] = x; });
  }
}

void NodeMatrix::feature_gram(const Vector& e, Matrix& gram, Context& ctx) const {
  gram.setZero(features(), features());
  if (sparse_) return add_sparse_gram(data_, table_.rows, e, gram, ctx);
  Matrix z(features(), std::min(kBlock, samples()));
  const Vector root = square_roots(e);
  for (Index first = 0; first < samples(); first += kBlock) {
    const Index rows = std::min(kBlock, samples() - first);
    parallel_for(ctx, rows, 64, [&](Index begin, Index end) {
      fill(first + begin, 0, z.middleCols(begin, end - begin));
      for (Index r = begin; r < end; ++r) z.col(r) *= root[first + r];
    });
    add_outer_product(z.leftCols(rows), gram, ctx);
  }
}

void NodeMatrix::sample_gram(const Vector& d, Matrix& gram, Context& ctx) const {
  gram.setZero(samples(), samples());
  if (sparse_) {
    const SparseColumns columns = sparse_columns(data_, table_.rows);
    return add_weighted_square(columns, columns.transpose(), d, gram, ctx);
  }
  Matrix z(std::min(kBlock, features()), samples());
  const Vector root = square_roots(d);
  for (Index begin = 0; begin < features(); begin += kBlock) {
    const Index used = std::min(kBlock, features() - begin);
    parallel_for(ctx, samples(), 64, [&](Index first, Index last) {
      fill(first, begin, z.block(0, first, used, last - first));
      for (Index r = first; r < last; ++r) z.col(r).head(used).array() *= root.segment(begin, used).array();
    });
    add_inner_product(z.topRows(used), gram, ctx);
  }
}

Matrix NodeMatrix::times(const Matrix& a, Context& ctx) const {
  Matrix product = Matrix::Zero(a.rows(), features());
  parallel_for(ctx, features(), feature_grain(features()), [&](Index begin, Index end) {
    if (sparse_) {
      for (Index r = 0; r < samples(); ++r) {
        for_each_value_between(data_, sample(r), begin, end,
                               [&](Index j, double x) { product.col(j) += x * a.col(r); });
      }
      return;
    }
    Matrix block(end - begin, std::min(kBlock, samples()));
    for (Index first = 0; first < samples(); first += kBlock) {
      const Index rows = std::min(kBlock, samples() - first);
      fill(first, begin, block.leftCols(rows));
      blas::gemm(false, true, as_int(a.rows()), as_int(end - begin), as_int(rows), 1, a.col(first).data(),
                 as_int(a.rows()), block.data(), as_int(block.rows()), 1, product.col(begin).data(), as_int(a.rows()));
    }
  });
  return product;
}

Matrix NodeMatrix::times_transposed(const Matrix& w, Context& ctx) const {
  Matrix product = Matrix::Zero(w.rows(), samples());
  parallel_for(ctx, samples(), kRowsPerTask, [&](Index first, Index last) {
    if (sparse_) {
      for (Index r = first; r < last; ++r) {
        data_.for_each_value(sample(r), [&](Index j, auto x) { product.col(r) += static_cast<double>(x) * w.col(j); });
      }
      return;
    }
    Matrix block(std::min(kBlock, features()), last - first);
    for (Index begin = 0; begin < features(); begin += kBlock) {
      const Index used = std::min(kBlock, features() - begin);
      fill(first, begin, block.topRows(used));
      blas::gemm(false, false, as_int(w.rows()), as_int(last - first), as_int(used), 1, w.col(begin).data(),
                 as_int(w.rows()), block.data(), as_int(block.rows()), 1, product.col(first).data(), as_int(w.rows()));
    }
  });
  return product;
}

}  // namespace clade
