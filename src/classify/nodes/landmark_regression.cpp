#include "classify/nodes/landmark_regression.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "comm/collectives.h"
#include "core/byte_string.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "math/triangular.h"

namespace clade {
namespace {

constexpr Index kRowsTogether = 1024;

}  // namespace

LandmarkRegression::LandmarkRegression(std::span<const Index> chosen, const KernelOptions& kernel, SamplesOf samples_of,
                                       const ClosedLabels& labels, std::span<const double> weight,
                                       const EvenBlocks& blocks, Context& ctx)
    : kernel_(kernel),
      samples_of_(std::move(samples_of)),
      labels_(labels),
      weight_(weight),
      blocks_(blocks),
      ctx_(ctx),
      landmarks_(samples_of_(chosen)),
      place_(static_cast<std::size_t>(labels.members.samples()), -1) {
  const Index m = landmarks_.size();
  for (Index j = 0; j < m; ++j) place_[static_cast<std::size_t>(chosen[static_cast<std::size_t>(j)])] = j;
  Index nonzeros = 0;
  for (Index j = 0; j < m; ++j) nonzeros += std::ssize(landmarks_.values_of(j));
  constexpr Index kFullShare = 4;
  if (nonzeros >= m * landmarks_.width() / kFullShare) {
    dense_ = Matrix::Zero(landmarks_.width(), m);
    for (Index j = 0; j < m; ++j) {
      const auto columns = landmarks_.columns_of(j);
      for (std::size_t k = 0; k < columns.size(); ++k) dense_(columns[k], j) = landmarks_.values_of(j)[k];
    }
  }
  const Matrix between = similarities(chosen);
  // Landmarks may be equal, or nearly so; what is added to the diagonal is far below any penalty.
  constexpr double kLeast = 1e-10;
  constexpr double kMost = 1e-4;
  bool has_root = false;
  for (double added = kLeast; added <= kMost && !has_root; added *= 100) {
    root_ = between;
    root_.diagonal().array() += added;
    has_root = cholesky(root_, ctx_);
  }
  if (!has_root) {
    throw usage_error("the kernel of the landmarks is not positive definite", "expected values of a usual size");
  }
  root_.triangularView<Eigen::StrictlyUpper>().setZero();
  sum_up();
}

Matrix LandmarkRegression::similarities(std::span<const Index> some) const {
  const KernelSamples samples = samples_of_(some);
  const Index m = landmarks_.size();
  Matrix result(samples.size(), m);
  constexpr Index kRows = 128;
  parallel_for(ctx_, samples.size(), kRows, [&](Index begin, Index end) {
    if (dense_.size() == 0) {
      std::vector<double> row(static_cast<std::size_t>(m));
      for (Index i = begin; i < end; ++i) {
        samples.row(kernel_, landmarks_, i, row);
        result.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), m);
      }
    } else {
      Matrix rows = Matrix::Zero(dense_.rows(), end - begin);
      for (Index i = begin; i < end; ++i) {
        const auto columns = samples.columns_of(i);
        for (std::size_t k = 0; k < columns.size(); ++k) rows(columns[k], i - begin) = samples.values_of(i)[k];
      }
      Matrix products = Matrix::Zero(end - begin, m);
      add_transposed_product(rows, dense_, products, ctx_);
      for (Index j = 0; j < m; ++j) {
        for (Index i = begin; i < end; ++i) {
          result(i, j) = kernel_value(kernel_, products(i - begin, j), samples.square(i), landmarks_.square(j));
        }
      }
    }
    // A sample is at no distance of itself, whatever rounding says.
    for (Index i = begin; i < end; ++i) {
      const Index own = place_[static_cast<std::size_t>(some[static_cast<std::size_t>(i)])];
      if (own >= 0) result(i, own) = 1;
    }
  });
  return result;
}

Matrix LandmarkRegression::centred_labels(std::span<const Index> some) const {
  Matrix labels(std::ssize(some), labels_.columns());
  for (Index c = 0; c < labels.cols(); ++c) labels.col(c).setConstant(-labels_.frequency[static_cast<std::size_t>(c)]);
  for (Index i = 0; i < labels.rows(); ++i) {
    for (const std::int32_t c : labels_.members.of(some[static_cast<std::size_t>(i)])) labels(i, c) += 1;
  }
  return labels;
}

// Sums of blocks are told as the columns of the lower triangle of Z' W Z, and then Z' W (Y - mean).
void LandmarkRegression::sum_up() {
  const Index m = landmarks_.size();
  const Index columns = labels_.columns();
  const auto [first, last] = blocks_.sums().own();
  Index steps = 0;
  for (int block = first; block < last; ++block) {
    const auto [begin, end] = blocks_.rows_of(block);
    steps += chunk_count(end - begin, kRowsTogether);
  }
  Progress progress(ctx_, "comparing samples with landmarks", steps);
  const Vector sum = blocks_.sums().sum(m * (m + 1) / 2 + m * columns, [&](int block, Vector& own) {
    Matrix squares = Matrix::Zero(m, m);
    Matrix products = Matrix::Zero(m, columns);
    add_block(block, squares, products, progress);
    Index at = 0;
    for (Index j = 0; j < m; at += m - j, ++j) own.segment(at, m - j) = squares.col(j).tail(m - j);
    own.tail(m * columns) = products.reshaped();
  });
  squares_ = Matrix::Zero(m, m);
  Index at = 0;
  for (Index j = 0; j < m; at += m - j, ++j) squares_.col(j).tail(m - j) = sum.segment(at, m - j);
  products_ = sum.tail(m * columns).reshaped(m, columns);
}

void LandmarkRegression::add_block(int block, Matrix& squares, Matrix& products, Progress& progress) const {
  const auto [first, last] = blocks_.rows_of(block);
  for (Index begin = first; begin < last; begin += kRowsTogether) {
    std::vector<Index> some(static_cast<std::size_t>(std::min(last - begin, kRowsTogether)));
    std::iota(some.begin(), some.end(), begin);
    Matrix features = similarities(some);
    solve_right(root_, features, ctx_);
    Matrix labels = centred_labels(some);
    for (Index i = 0; i < std::ssize(some); ++i) {
      const double root = std::sqrt(mass(some[static_cast<std::size_t>(i)]));
      if (root == 1) continue;
      features.row(i) *= root;
      labels.row(i) *= root;
    }
    add_inner_product(features, squares, ctx_);
    add_transposed_product(features, labels, products, ctx_);
    progress.advance();
  }
}

void LandmarkRegression::solve(double penalty) {
  const Index m = landmarks_.size();
  Matrix factor = squares_;
  factor.diagonal().array() += penalty;
  if (!cholesky(factor, ctx_)) {
    throw usage_error("the kernel is not positive definite to the accuracy of a double", "expected a larger `penalty`");
  }
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  whole_root_ = Matrix::Zero(m, m);
  add_product(root_, factor, whole_root_, ctx_);
  Matrix turned = products_.transpose();
  solve_right(factor, turned, ctx_);
  target_ = turned.transpose();
}

Matrix LandmarkRegression::coefficient() const {
  Matrix result = target_;
  solve_transposed(whole_root_, result, ctx_);
  return result;
}

Matrix LandmarkRegression::held_out(std::span<const Index> some) const {
  constexpr double kLeastLeft = 1e-9;
  Matrix result(std::ssize(some), labels_.columns());
  for (Index begin = 0; begin < result.rows(); begin += kRowsTogether) {
    const auto block = some.subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(std::min(result.rows() - begin, kRowsTogether)));
    Matrix features = similarities(block);
    solve_right(whole_root_, features, ctx_);
    const Matrix labels = centred_labels(block);
    Matrix fitted = Matrix::Zero(labels.rows(), labels.cols());
    add_product(features, target_, fitted, ctx_);
    for (Index i = 0; i < labels.rows(); ++i) {
      const double own = mass(block[static_cast<std::size_t>(i)]) * features.row(i).squaredNorm();
      const double left = std::max(kLeastLeft, 1 - own);
      for (Index c = 0; c < labels.cols(); ++c) {
        const double label = labels(i, c) + labels_.frequency[static_cast<std::size_t>(c)];
        result(begin + i, c) = label - (labels(i, c) - fitted(i, c)) / left;
      }
    }
  }
  return result;
}

Matrix LandmarkRegression::shared_held_out(std::span<const Index> some) const {
  if (blocks_.sums().blocks() == 1 && blocks_.sums().team().size() == 1) return held_out(some);
  // By block: the last digits of a product may depend on which samples are together.
  const auto [first, last] = blocks_.sums().own();
  ByteWriter own;
  for (int block = first; block < last; ++block) {
    const auto [begin, end] = blocks_.rows_of(block);
    const Matrix found = held_out({std::ranges::lower_bound(some, begin), std::ranges::lower_bound(some, end)});
    own.put(std::span<const double>(found.data(), static_cast<std::size_t>(found.size())));
  }
  Matrix result(std::ssize(some), labels_.columns());
  Index row = 0;
  std::vector<double> values;
  for (const std::string& bytes : all_gather(blocks_.sums().team().processes(), own.take())) {
    for (ByteReader reader(bytes); !reader.is_at_end();) {
      reader.get(values);
      const Index rows = std::ssize(values) / std::max<Index>(1, result.cols());
      result.middleRows(row, rows) = Eigen::Map<const Matrix>(values.data(), rows, result.cols());
      row += rows;
    }
  }
  return result;
}

}  // namespace clade
