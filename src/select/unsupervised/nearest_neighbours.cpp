#include "select/unsupervised/nearest_neighbours.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/parallel.h"
#include "core/progress.h"
#include "math/blas/blas.h"
#include "math/dense.h"
#include "select/row_values.h"

namespace clade {
namespace {

constexpr Index kStrip = 256;  // samples whose neighbours are searched for together
constexpr Index kTile = 512;   // samples they are compared with at a time
// Rows with a larger share of non-zeros are multiplied faster as dense ones.
constexpr double kSparseShare = 0.15;

double square_of(double x) {
  return x * x;
}

int as_int(Index value) {
  return static_cast<int>(value);
}

bool multiplies_as_sparse(const Dataset& data) {
  if (!is_sparse(data.matrix())) return false;
  double stored = 0;
  for (Index s = 0; s < data.samples(); ++s) data.for_each_value(s, [&](FeatureIndex, auto) { ++stored; });
  return stored < kSparseShare * static_cast<double>(data.samples()) * static_cast<double>(data.features());
}

// Inner products and squared lengths of samples, from which distances are computed.
class Products {
 public:
  virtual ~Products() = default;
  double square(Index sample) const { return squares_[static_cast<std::size_t>(sample)]; }

  class Strip {
   public:
    virtual ~Strip() = default;
    // A column per sample of the strip, a row per sample of [from, to).
    virtual void products(Index from, Index to, MatrixRef tile) = 0;
  };
  virtual std::unique_ptr<Strip> strip(Index begin, Index end) const = 0;

 protected:
  std::vector<double> squares_;
};

// Centred, so that a large offset common to all samples does not swamp their differences.
class DenseProducts final : public Products {
 public:
  DenseProducts(const Dataset& data, Context& ctx) : values_(Matrix::Zero(data.features(), data.samples())) {
    squares_.resize(static_cast<std::size_t>(data.samples()));
    parallel_for(ctx, data.samples(), kStrip, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s) {
        data.for_each_value(s, [&](FeatureIndex f, auto v) { values_(f, s) = static_cast<double>(v); });
      }
    });
    Vector mean = Vector::Zero(data.features());
    for (Index s = 0; s < data.samples(); ++s) mean += values_.col(s) / static_cast<double>(data.samples());
    parallel_for(ctx, data.samples(), kStrip, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s) {
        values_.col(s) -= mean;
        squares_[static_cast<std::size_t>(s)] = values_.col(s).squaredNorm();
      }
    });
  }

  std::unique_ptr<Strip> strip(Index begin, Index end) const override {
    return std::make_unique<DenseStrip>(values_, begin, end);
  }

 private:
  class DenseStrip final : public Strip {
   public:
    DenseStrip(const Matrix& values, Index begin, Index end) : values_(values), begin_(begin), size_(end - begin) {}
    void products(Index from, Index to, MatrixRef tile) override {
      const int rows = as_int(values_.rows());
      blas::gemm(true, false, as_int(to - from), as_int(size_), rows, 1, values_.col(from).data(), rows,
                 values_.col(begin_).data(), rows, 0, tile.data(), as_int(tile.outerStride()));
    }

   private:
    const Matrix& values_;
    Index begin_;
    Index size_;
  };

  Matrix values_;  // a column per sample
};

class SparseProducts final : public Products {
 public:
  explicit SparseProducts(const Dataset& data) : data_(data) {
    for (Index s = 0; s < data.samples(); ++s) {
      double sum = 0;
      data.for_each_value(s, [&](FeatureIndex, auto v) { sum += square_of(static_cast<double>(v)); });
      squares_.push_back(sum);
    }
  }

  std::unique_ptr<Strip> strip(Index begin, Index end) const override {
    return std::make_unique<SparseStrip>(data_, begin, end);
  }

 private:
  // For every feature, the samples of the strip that have it.
  class SparseStrip final : public Strip {
   public:
    SparseStrip(const Dataset& data, Index begin, Index end)
        : data_(data), list_begin_(static_cast<std::size_t>(data.features()) + 1, 0), sums_(end - begin) {
      for (Index s = begin; s < end; ++s) {
        data.for_each_value(s, [&](FeatureIndex f, auto) { ++list_begin_[static_cast<std::size_t>(f) + 1]; });
      }
      for (std::size_t f = 1; f < list_begin_.size(); ++f) list_begin_[f] += list_begin_[f - 1];
      entries_.resize(list_begin_.back());
      std::vector<std::size_t> next(list_begin_.begin(), list_begin_.end() - 1);
      for (Index s = begin; s < end; ++s) {
        data.for_each_value(s, [&](FeatureIndex f, auto v) {
          entries_[next[static_cast<std::size_t>(f)]++] = {static_cast<double>(v), s - begin};
        });
      }
    }

    void products(Index from, Index to, MatrixRef tile) override {
      for (Index s = from; s < to; ++s) {
        sums_.setZero();
        data_.for_each_value(s, [&](FeatureIndex f, auto v) {
          const auto value = static_cast<double>(v);
          const std::size_t last = list_begin_[static_cast<std::size_t>(f) + 1];
          for (std::size_t e = list_begin_[static_cast<std::size_t>(f)]; e < last; ++e) {
            sums_[entries_[e].position] += value * entries_[e].value;
          }
        });
        tile.row(s - from) = sums_;
      }
    }

   private:
    struct Entry {
      double value = 0;
      Index position = 0;  // of the sample in the strip
    };

    const Dataset& data_;
    std::vector<std::size_t> list_begin_;
    std::vector<Entry> entries_;
    Eigen::RowVectorXd sums_;
  };

  const Dataset& data_;
};

// The nearest neighbours of one sample so far, nearest first. Candidates come in ascending order, so that of equally
// near ones the lower number is there first and stays.
class Nearest {
 public:
  Nearest(Index* samples, double* squares, Index count) : samples_(samples), squares_(squares), count_(count) {}

  bool is_full() const { return found_ == count_; }
  double farthest() const { return is_full() ? squares_[count_ - 1] : std::numeric_limits<double>::infinity(); }
  void offer(Index sample, double square) {
    if (square >= farthest()) return;
    if (!is_full()) ++found_;
    Index place = found_ - 1;
    for (; place > 0 && squares_[place - 1] > square; --place) {
      squares_[place] = squares_[place - 1];
      samples_[place] = samples_[place - 1];
    }
    squares_[place] = square;
    samples_[place] = sample;
  }

 private:
  Index* samples_;
  double* squares_;
  Index count_;
  Index found_ = 0;
};

class Search {
 public:
  Search(const Dataset& data, const Products& products, NearestNeighbours& result)
      : data_(data),
        products_(products),
        result_(result),
        // Bounds the rounding of a sum of this many products, in whatever order it was summed.
        rounding_(2 * static_cast<double>(data.features() + 4) * std::numeric_limits<double>::epsilon()) {}

  void run(Index begin, Index end, Context& ctx) const {
    const auto strip = products_.strip(begin, end);
    Matrix tile(std::min(kTile, data_.samples()), end - begin);
    std::vector<Nearest> nearest;
    for (Index s = begin; s < end; ++s) {
      const Index at = s * result_.count;
      nearest.emplace_back(result_.neighbours.data() + at, result_.squares.data() + at, result_.count);
    }
    std::vector<double> highest;
    for (Index from = 0; from < data_.samples(); from += kTile) {
      ctx.check_cancelled();
      const Index to = std::min(from + kTile, data_.samples());
      strip->products(from, to, tile.topRows(to - from));
      for (Index s = begin; s < end; ++s) {
        compare(s, from, to, tile.col(s - begin).data(), nearest[static_cast<std::size_t>(s - begin)], highest);
      }
    }
  }

 private:
  // Offers the samples [from, to), given their products with sample s.
  void compare(Index s, Index from, Index to, const double* product, Nearest& nearest,
               std::vector<double>& highest) const {
    const double own = products_.square(s);
    if (!nearest.is_full()) {
      // A sample farther away than `count` samples of this tile can possibly be is not among the nearest.
      highest.clear();
      for (Index j = from; j < to; ++j) {
        const double sum = own + products_.square(j);
        if (j != s) highest.push_back(sum - 2 * product[j - from] + rounding_ * sum);
      }
    }
    double limit = nearest.farthest();
    if (const auto count = static_cast<std::size_t>(result_.count); !nearest.is_full() && highest.size() >= count) {
      std::nth_element(highest.begin(), highest.begin() + (result_.count - 1), highest.end());
      limit = highest[count - 1];
    }
    for (Index j = from; j < to; ++j) {
      const double sum = own + products_.square(j);
      const double lowest = sum - 2 * product[j - from] - rounding_ * sum;
      if (lowest > limit || j == s) continue;
      if (nearest.farthest() == 0) return;  // no later sample can be nearer
      nearest.offer(j, squared_distance(data_, s, j));
      limit = std::min(limit, nearest.farthest());
    }
  }

  const Dataset& data_;
  const Products& products_;
  NearestNeighbours& result_;
  double rounding_;
};

}  // namespace

double squared_distance(const Dataset& data, Index i, Index j) {
  if (is_sparse(data.matrix())) {
    double sum = 0;
    for_each_difference_between(data, i, j, 0, data.features(), [&](Index, double d) { sum += d * d; });
    return sum;
  }
  const auto square = [&]<class Value>(const DenseMatrix<Value>& m) {
    using Row = Eigen::Map<const Eigen::Vector<Value, Eigen::Dynamic>>;
    const Row x(m.row(data.source_row(i)).data(), m.columns);
    const Row y(m.row(data.source_row(j)).data(), m.columns);
    return (x.template cast<double>() - y.template cast<double>()).squaredNorm();
  };
  return is_single_precision(data.matrix()) ? square(std::get<DenseMatrix<float>>(data.matrix()))
                                            : square(std::get<DenseMatrix<double>>(data.matrix()));
}

double neighbour_search_memory(const Dataset& data) {
  if (multiplies_as_sparse(data)) return 0;
  return static_cast<double>(sizeof(double)) * static_cast<double>(data.samples()) *
         static_cast<double>(data.features());
}

NearestNeighbours nearest_neighbours(const Dataset& data, Index count, Context& ctx) {
  std::unique_ptr<Products> products;
  if (multiplies_as_sparse(data)) {
    products = std::make_unique<SparseProducts>(data);
  } else {
    products = std::make_unique<DenseProducts>(data, ctx);
  }
  const auto size = static_cast<std::size_t>(data.samples() * count);
  NearestNeighbours result{count, std::vector<Index>(size), std::vector<double>(size)};
  const Search search(data, *products, result);
  Progress progress(ctx, "looking for neighbours", data.samples());
  parallel_for(ctx, data.samples(), kStrip, [&](Index begin, Index end) {
    search.run(begin, end, ctx);
    progress.advance(end - begin);
  });
  return result;
}

}  // namespace clade
