#include "math/kmeans_rows.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;

int as_int(Index value) {
  return static_cast<int>(value);
}

// The nearest centre by ||c||² - 2 <x, c>, the squared distance without the term that all centres share.
void take_nearest(const double* relative, Index clusters, double square, Index& label, double& distance) {
  Index best = std::max<Index>(label, 0);
  for (Index k = 0; k < clusters; ++k) {
    if (relative[k] < relative[best]) best = k;
  }
  label = best;
  distance = std::max(0.0, square + relative[best]);
}

class DenseRows : public KMeansRows {
 public:
  DenseRows(std::span<const double> values, Index rows, Vector shift, Context& ctx)
      : values_(shift.size(), rows), shift_(std::move(shift)) {
    const Eigen::Map<const Matrix> given(values.data(), shift_.size(), rows);
    squares_.resize(rows);
    parallel_for(ctx, rows, kRowsPerTask, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        values_.col(row) = given.col(row) - shift_;
        squares_[row] = values_.col(row).squaredNorm();
      }
    });
  }

  Index rows() const override { return values_.cols(); }
  Index columns() const override { return values_.rows(); }
  const Vector& shift() const override { return shift_; }

  void distances_to(const KMeansPoint& point, Index begin, Index end, double* squares) const override {
    for (Index row = begin; row < end; ++row) squares[row - begin] = distance(row, point.values);
  }

  void nearest(const CentreRows& centres, Index begin, Index end, Index* labels, double* squares) const override {
    const Index clusters = centres.values.rows();
    Matrix relative = centres.squares.replicate(1, end - begin);
    blas::gemm(false, false, as_int(clusters), as_int(end - begin), as_int(columns()), -2, centres.values.data(),
               as_int(clusters), values_.col(begin).data(), as_int(columns()), 1, relative.data(), as_int(clusters));
    for (Index row = begin; row < end; ++row) {
      take_nearest(relative.col(row - begin).data(), clusters, squares_[row], labels[row - begin],
                   squares[row - begin]);
    }
  }

  double distance(Index row, const Eigen::Ref<const Vector>& centre) const override {
    return (values_.col(row) - centre).squaredNorm();
  }
  void add_to(Index row, Eigen::Ref<Vector> sum) const override { sum += values_.col(row); }

 private:
  Matrix values_;  // columns x rows: row-major data read as column-major
  Vector shift_;
  Vector squares_;
};

class SparseRows : public KMeansRows {
 public:
  SparseRows(std::span<const Index> offsets, std::span<const FeatureIndex> indices, std::span<const double> values,
             Index columns)
      : offsets_(offsets), indices_(indices), values_(values), columns_(columns), shift_(Vector::Zero(columns)) {
    squares_.resize(rows());
    for (Index row = 0; row < rows(); ++row) {
      double square = 0;
      for_each(row, [&](Index, double value) { square += value * value; });
      squares_[row] = square;
    }
  }

  Index rows() const override { return std::ssize(offsets_) - 1; }
  Index columns() const override { return columns_; }
  const Vector& shift() const override { return shift_; }

  void distances_to(const KMeansPoint& point, Index begin, Index end, double* squares) const override {
    for (Index row = begin; row < end; ++row) squares[row - begin] = distance_of(point, row);
  }

  void nearest(const CentreRows& centres, Index begin, Index end, Index* labels, double* squares) const override {
    Vector relative(centres.squares.size());
    for (Index row = begin; row < end; ++row) {
      relative = centres.squares;
      for_each(row, [&](Index column, double value) { relative -= 2 * value * centres.values.col(column); });
      take_nearest(relative.data(), relative.size(), squares_[row], labels[row - begin], squares[row - begin]);
    }
  }

  double distance(Index row, const Eigen::Ref<const Vector>& centre) const override {
    double square = 0;
    Index next = 0;
    for_each(row, [&](Index column, double value) {
      square += centre.segment(next, column - next).squaredNorm() + (value - centre[column]) * (value - centre[column]);
      next = column + 1;
    });
    return square + centre.tail(columns_ - next).squaredNorm();
  }

  void add_to(Index row, Eigen::Ref<Vector> sum) const override {
    for_each(row, [&](Index column, double value) { sum[column] += value; });
  }

 private:
  Index offset(Index row) const { return offsets_[static_cast<std::size_t>(row)]; }

  template <class Visit>
  void for_each(Index row, Visit&& visit) const {
    for (auto k = static_cast<std::size_t>(offset(row)); k < static_cast<std::size_t>(offset(row + 1)); ++k) {
      visit(Index{indices_[k]}, values_[k]);
    }
  }

  double distance_of(const KMeansPoint& point, Index row) const {
    auto i = point.nonzeros.begin();
    const auto i_end = point.nonzeros.end();
    auto j = static_cast<std::size_t>(offset(row));
    const auto j_end = static_cast<std::size_t>(offset(row + 1));
    double square = 0;
    while (i != i_end || j < j_end) {
      double difference = 0;
      if (j == j_end || (i != i_end && *i < indices_[j])) {
        difference = point.values[*i++];
      } else if (i == i_end || indices_[j] < *i) {
        difference = values_[j++];
      } else {
        difference = point.values[*i++] - values_[j++];
      }
      square += difference * difference;
    }
    return square;
  }

  std::span<const Index> offsets_;
  std::span<const FeatureIndex> indices_;
  std::span<const double> values_;
  Index columns_;
  Vector squares_;
  Vector shift_;  // zero: shifted rows would not be sparse
};

}  // namespace

std::unique_ptr<KMeansRows> dense_kmeans_rows(std::span<const double> values, Index rows, Vector shift, Context& ctx) {
  return std::make_unique<DenseRows>(values, rows, std::move(shift), ctx);
}

std::unique_ptr<KMeansRows> sparse_kmeans_rows(std::span<const Index> offsets, std::span<const FeatureIndex> indices,
                                               std::span<const double> values, Index columns) {
  return std::make_unique<SparseRows>(offsets, indices, values, columns);
}

}  // namespace clade
