#include "select/filter/node_matrix.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "math/blas/blas.h"
#include "math/dense.h"
#include "select/filter/row_values.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;
constexpr Index kBlock = 1024;  // samples or features that go through a product at a time
// A multiplication of scattered values takes about as long as thirty inside the BLAS, and a Gram matrix has
// (share of non-zeros)^2 / 2 as many.
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

NodeMatrix::NodeMatrix(const Dataset& data, const NodeTable& table)
    : data_(data), table_(table), sparse_(stored_share(data, table) < kSparseShare) {}

void NodeMatrix::fill(Index first, Index begin, Eigen::Ref<Eigen::MatrixXd> block) const {
  block.setZero();
  for (Index r = 0; r < block.cols(); ++r) {
    double* const column = block.col(r).data();
    for_each_value_between(data_, sample(first + r), begin, begin + block.rows(),
                           [&](Index j, double x) { column[j - begin] = x; });
  }
}

void NodeMatrix::feature_gram(const Eigen::VectorXd& e, Eigen::MatrixXd& gram, Context& ctx) const {
  if (sparse_) return sparse_feature_gram(e, gram, ctx);
  gram.setZero(features(), features());
  Eigen::MatrixXd z(features(), std::min(kBlock, samples()));
  const Eigen::VectorXd root = square_roots(e);
  for (Index first = 0; first < samples(); first += kBlock) {
    const Index rows = std::min(kBlock, samples() - first);
    parallel_for(ctx, rows, 64, [&](Index begin, Index end) {
      fill(first + begin, 0, z.middleCols(begin, end - begin));
      for (Index r = begin; r < end; ++r) z.col(r) *= root[first + r];
    });
    add_outer_product(z.leftCols(rows), gram, ctx);
  }
}

void NodeMatrix::sample_gram(const Eigen::VectorXd& d, Eigen::MatrixXd& gram, Context& ctx) const {
  if (sparse_) return sparse_sample_gram(d, gram, ctx);
  gram.setZero(samples(), samples());
  Eigen::MatrixXd z(std::min(kBlock, features()), samples());
  const Eigen::VectorXd root = square_roots(d);
  for (Index begin = 0; begin < features(); begin += kBlock) {
    const Index used = std::min(kBlock, features() - begin);
    parallel_for(ctx, samples(), 64, [&](Index first, Index last) {
      fill(first, begin, z.block(0, first, used, last - first));
      for (Index r = first; r < last; ++r) z.col(r).head(used).array() *= root.segment(begin, used).array();
    });
    add_inner_product(z.topRows(used), gram, ctx);
  }
}

// Threads own columns of the Gram matrix; each walks all rows.
void NodeMatrix::sparse_feature_gram(const Eigen::VectorXd& e, Eigen::MatrixXd& gram, Context& ctx) const {
  gram.setZero(features(), features());
  parallel_for(ctx, features(), feature_grain(features()), [&](Index begin, Index end) {
    for (Index r = 0; r < samples(); ++r) {
      for_each_value_between(data_, sample(r), begin, end, [&](Index k, double value) {
        const double scaled = e[r] * value;
        double* const column = gram.col(k).data();
        for_each_value_between(data_, sample(r), k, features(), [&](Index j, double x) { column[j] += scaled * x; });
      });
    }
  });
}

// A row is spread out once and meets all later rows.
void NodeMatrix::sparse_sample_gram(const Eigen::VectorXd& d, Eigen::MatrixXd& gram, Context& ctx) const {
  gram.resize(samples(), samples());
  parallel_for(ctx, samples(), 16, [&](Index begin, Index end) {
    Eigen::VectorXd spread = Eigen::VectorXd::Zero(features());
    for (Index r = begin; r < end; ++r) {
      data_.for_each_value(sample(r), [&](Index j, auto x) { spread[j] = d[j] * static_cast<double>(x); });
      for (Index i = r; i < samples(); ++i) {
        double sum = 0;
        data_.for_each_value(sample(i), [&](Index j, auto x) { sum += spread[j] * static_cast<double>(x); });
        gram(i, r) = sum;
      }
      data_.for_each_value(sample(r), [&](Index j, auto) { spread[j] = 0; });
    }
  });
}

Eigen::MatrixXd NodeMatrix::times(const Eigen::MatrixXd& a, Context& ctx) const {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(a.rows(), features());
  parallel_for(ctx, features(), feature_grain(features()), [&](Index begin, Index end) {
    if (sparse_) {
      for (Index r = 0; r < samples(); ++r) {
        for_each_value_between(data_, sample(r), begin, end,
                               [&](Index j, double x) { product.col(j) += x * a.col(r); });
      }
      return;
    }
    Eigen::MatrixXd block(end - begin, std::min(kBlock, samples()));
    for (Index first = 0; first < samples(); first += kBlock) {
      const Index rows = std::min(kBlock, samples() - first);
      fill(first, begin, block.leftCols(rows));
      blas::gemm(false, true, as_int(a.rows()), as_int(end - begin), as_int(rows), 1, a.col(first).data(),
                 as_int(a.rows()), block.data(), as_int(block.rows()), 1, product.col(begin).data(), as_int(a.rows()));
    }
  });
  return product;
}

Eigen::MatrixXd NodeMatrix::times_transposed(const Eigen::MatrixXd& w, Context& ctx) const {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(w.rows(), samples());
  parallel_for(ctx, samples(), kRowsPerTask, [&](Index first, Index last) {
    if (sparse_) {
      for (Index r = first; r < last; ++r) {
        data_.for_each_value(sample(r), [&](Index j, auto x) { product.col(r) += static_cast<double>(x) * w.col(j); });
      }
      return;
    }
    Eigen::MatrixXd block(std::min(kBlock, features()), last - first);
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
