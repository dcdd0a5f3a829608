#include "induce/distances.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/progress.h"
#include "data/kernel/kernel_check.h"
#include "data/kernel/kernel_samples.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kClassesPerChunk = 256;

double square_of(double x) {
  return x * x;
}

// The block by matrix products; the sparse rows by listing, for every feature, the classes of the strip that have it.
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

class KernelGram : public CentroidGram {
 public:
  explicit KernelGram(Matrix products) : products_(std::move(products)) {}

  Index classes() const override { return products_.rows(); }
  double square(Index k) const override { return products_(k, k); }

  std::unique_ptr<Strip> strip(Index begin, Index end) const override {
    return std::make_unique<KernelStrip>(products_, begin, end);
  }

 private:
  class KernelStrip : public Strip {
   public:
    KernelStrip(const Matrix& products, Index begin, Index end)
        : products_(products), begin_(begin), size_(end - begin) {}
    void products(Index begin, Index end, MatrixRef tile) override {
      tile.topLeftCorner(size_, end - begin) = products_.block(begin_, begin, size_, end - begin);
    }

   private:
    const Matrix& products_;
    Index begin_;
    Index size_;
  };

  Matrix products_;
};

constexpr Index kTile = 256;        // half a megabyte: with its operands it fits the second cache
constexpr double kReliable = 1e-3;  // a square is trusted down to this share of the squares it is computed from
constexpr double kLargest = 1e300;  // bound for a square, so that the sum of four is finite

void require_moderate(const CentroidGram& gram) {
  for (Index k = 0; k < gram.classes(); ++k) {
    if (gram.square(k) <= kLargest) continue;
    throw usage_error("distances between classes are not finite: values are too large to compute with",
                      "expected smaller ones, or `scale` unit");
  }
}

}  // namespace

double CentroidGram::near_square(Index k, Index l, double product) const {
  return std::max(0.0, square(k) + square(l) - 2 * product);
}

std::unique_ptr<CentroidGram> linear_gram(const Centroids& centroids, Context& ctx) {
  return std::make_unique<LinearGram>(centroids, ctx);
}

std::unique_ptr<CentroidGram> kernel_gram(const Dataset& data, const ClassSamples& classes,
                                          const KernelOptions& options, bool unit, Context& ctx) {
  check_kernel_fits(options.kind, data);
  if (options.kind == KernelKind::kPrecomputed) {
    std::vector<std::string> notes;
    check_precomputed(data, notes, ctx);
    for (const std::string& note : notes) ctx.info(note);
  }
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  const KernelSamples samples(data, all, options, unit, ctx);
  const KernelOptions kernel = with_gamma(options, samples);
  Matrix products(classes.size(), classes.size());
  parallel_for(ctx, classes.size(), Index{1}, [&](Index k, Index) {
    std::vector<double> row(all.size());
    std::vector<double> sum(all.size(), 0);
    for (const Index i : classes.of(k)) {
      samples.row(kernel, samples, i, row);
      for (std::size_t j = 0; j < row.size(); ++j) sum[j] += row[j];
    }
    for (Index l = 0; l < classes.size(); ++l) {
      double total = 0;
      for (const Index j : classes.of(l)) total += sum[static_cast<std::size_t>(j)];
      products(k, l) = total / (static_cast<double>(classes.of(k).size()) * static_cast<double>(classes.of(l).size()));
    }
  });
  // The two triangles were summed in different orders and differ by rounding.
  const Matrix symmetric = (products + products.transpose()) / 2;
  return std::make_unique<KernelGram>(symmetric);
}

CondensedDistances euclidean_distances(const CentroidGram& gram, Context& ctx) {
  require_moderate(gram);
  const Index q = gram.classes();
  CondensedDistances distances(q);
  double* values = distances.data();
  Progress progress(ctx, "distances", CondensedDistances::count(q));
  parallel_for(ctx, q, kTile, [&](Index begin, Index end) {
    const auto strip = gram.strip(begin, end);
    Matrix tile(end - begin, kTile);
    for (Index from = begin; from < q; from += kTile) {
      ctx.check_cancelled();
      const Index to = std::min(from + kTile, q);
      strip->products(from, to, tile.leftCols(to - from));
      for (Index i = begin; i < end; ++i) {
        const Index row = CondensedDistances::row(i, q);
        const double own = gram.square(i);
        for (Index j = std::max(from, i + 1); j < to; ++j) {
          const double product = tile(i - begin, j - from);
          const double sum = own + gram.square(j);
          double square = sum - 2 * product;
          if (square < kReliable * sum) square = gram.near_square(i, j, product);
          values[row + j] = std::sqrt(square);
        }
      }
    }
    progress.advance((end - begin) * (q - end) + CondensedDistances::count(end - begin));
  });
  return distances;
}

}  // namespace clade
