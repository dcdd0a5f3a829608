#include "induce/centroid_gram.h"

#include <algorithm>

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kClassesPerChunk = 256;

double square_of(double x) {
  return x * x;
}

// The block by matrix products. The sparse rows by lists, for every feature, of the classes of the strip that have it.
class LinearStrip : public CentroidGram::Strip {
 public:
  LinearStrip(const Centroids& centroids, Index begin, Index end)
      : centroids_(centroids), begin_(begin), size_(end - begin) {
    const SparseMatrix<double>& rest = centroids.rest;
    const Index stored = rest.offsets[end] - rest.offsets[begin];
    if (stored == 0) return;
    list_begin_.assign(static_cast<std::size_t>(rest.columns) + 1, 0);
    entries_.resize(static_cast<std::size_t>(stored));
    for (Index at = rest.offsets[begin]; at < rest.offsets[end]; ++at) {
      ++list_begin_[static_cast<std::size_t>(rest.indices[at]) + 1];
    }
    for (std::size_t f = 1; f < list_begin_.size(); ++f) list_begin_[f] += list_begin_[f - 1];
    std::vector<Index> next(list_begin_.begin(), list_begin_.end() - 1);
    for (Index k = begin; k < end; ++k) {
      for (Index at = rest.offsets[k]; at < rest.offsets[k + 1]; ++at) {
        const auto place = next[static_cast<std::size_t>(rest.indices[at])]++;
        entries_[static_cast<std::size_t>(place)] = {rest.values[at], k - begin};
      }
    }
  }

  void products(Index begin, Index end, MatrixRef tile) override {
    const Matrix& block = centroids_.block;
    const auto rows = static_cast<int>(block.rows());
    blas::gemm(true, false, static_cast<int>(size_), static_cast<int>(end - begin), rows, 1,
               block.data() + begin_ * block.rows(), rows, block.data() + begin * block.rows(), rows, 0, tile.data(),
               static_cast<int>(tile.outerStride()));
    if (entries_.empty()) return;
    const SparseMatrix<double>& rest = centroids_.rest;
    for (Index k = begin; k < end; ++k) {
      double* column = tile.col(k - begin).data();
      for (Index at = rest.offsets[k]; at < rest.offsets[k + 1]; ++at) {
        const auto f = static_cast<std::size_t>(rest.indices[at]);
        const double value = rest.values[at];
        const auto last = static_cast<std::size_t>(list_begin_[f + 1]);
        for (auto e = static_cast<std::size_t>(list_begin_[f]); e < last; ++e) {
          column[entries_[e].position] += value * entries_[e].value;
        }
      }
    }
  }

 private:
  struct Entry {
    double value = 0;
    Index position = 0;  // of the class in the strip
  };

  const Centroids& centroids_;
  Index begin_;
  Index size_;
  std::vector<Index> list_begin_;
  std::vector<Entry> entries_;
};

class LinearGram : public CentroidGram {
 public:
  LinearGram(const Centroids& centroids, Context& ctx)
      : centroids_(centroids), squares_(static_cast<std::size_t>(centroids.classes())) {
    parallel_for(ctx, classes(), kClassesPerChunk, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        double sum = centroids.block.col(k).squaredNorm();
        for (const double value : centroids.rest.row_values(k)) sum += square_of(value);
        squares_[static_cast<std::size_t>(k)] = sum;
      }
    });
  }

  Index classes() const override { return centroids_.classes(); }
  double square(Index k) const override { return squares_[static_cast<std::size_t>(k)]; }
  std::unique_ptr<Strip> strip(Index begin, Index end) const override {
    return std::make_unique<LinearStrip>(centroids_, begin, end);
  }

  double near_square(Index k, Index l, double) const override {
    const SparseMatrix<double>& rest = centroids_.rest;
    double sum = (centroids_.block.col(k) - centroids_.block.col(l)).squaredNorm();
    Index a = rest.offsets[k];
    Index b = rest.offsets[l];
    const Index a_end = rest.offsets[k + 1];
    const Index b_end = rest.offsets[l + 1];
    while (a < a_end && b < b_end) {
      const FeatureIndex f = rest.indices[a];
      const FeatureIndex g = rest.indices[b];
      sum += square_of((f <= g ? rest.values[a] : 0) - (g <= f ? rest.values[b] : 0));
      a += f <= g ? 1 : 0;
      b += g <= f ? 1 : 0;
    }
    for (; a < a_end; ++a) sum += square_of(rest.values[a]);
    for (; b < b_end; ++b) sum += square_of(rest.values[b]);
    return sum;
  }

 private:
  const Centroids& centroids_;
  std::vector<double> squares_;
};

}  // namespace

double CentroidGram::near_square(Index k, Index l, double product) const {
  return std::max(0.0, square(k) + square(l) - 2 * product);
}

std::unique_ptr<CentroidGram> linear_gram(const Centroids& centroids, Context& ctx) {
  return std::make_unique<LinearGram>(centroids, ctx);
}

}  // namespace clade
