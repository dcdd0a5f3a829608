#include "induce/feature_tree/correlation_distances.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/progress.h"
#include "math/blas/blas.h"
#include "math/dense.h"

namespace clade {
namespace {

constexpr Index kTile = 256;

int as_int(Index value) {
  return static_cast<int>(value);
}

// Samples x features; each column has mean 0 and length 1.
Matrix standardised(const Dataset& data, std::span<const FeatureIndex> features, Context& ctx) {
  std::vector<Index> column(static_cast<std::size_t>(data.features()), -1);
  for (std::size_t k = 0; k < features.size(); ++k) {
    column[static_cast<std::size_t>(features[k])] = static_cast<Index>(k);
  }
  Matrix values = Matrix::Zero(data.samples(), std::ssize(features));
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const Index k = column[static_cast<std::size_t>(f)];
      if (k >= 0) values(s, k) = static_cast<double>(value);
    });
  }
  parallel_for(ctx, values.cols(), kTile, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      auto of = values.col(k);
      // Brought to moderate size first, so that squares neither overflow nor vanish.
      of /= of.cwiseAbs().maxCoeff();
      of.array() -= of.mean();
      of /= std::sqrt(of.squaredNorm());
      if (!of.allFinite()) {
        throw usage_error("correlations are not finite: values are too large or too near each other to compute with",
                          "expected scaled features");
      }
    }
  });
  return values;
}

}  // namespace

std::vector<FeatureIndex> varying_features(const Dataset& data) {
  const auto p = static_cast<std::size_t>(data.features());
  std::vector<double> first(p, 0);
  std::vector<Index> stored(p, 0);
  std::vector<char> varies(p, 0);
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const auto at = static_cast<std::size_t>(f);
      if (stored[at]++ == 0) first[at] = static_cast<double>(value);
      if (static_cast<double>(value) != first[at]) varies[at] = 1;
    });
  }
  std::vector<FeatureIndex> features;
  for (std::size_t f = 0; f < p; ++f) {
    // Values that are not stored are 0.
    const bool has_zeros = stored[f] < data.samples();
    if (varies[f] != 0 || (has_zeros && first[f] != 0)) features.push_back(static_cast<FeatureIndex>(f));
  }
  return features;
}

CondensedDistances correlation_distances(const Dataset& data, std::span<const FeatureIndex> features, Context& ctx) {
  const Matrix values = standardised(data, features, ctx);
  const Index p = values.cols();
  const int n = as_int(values.rows());
  CondensedDistances distances(p);
  Progress progress(ctx, "correlations", CondensedDistances::count(p));
  parallel_for(ctx, p, kTile, [&](Index begin, Index end) {
    Matrix tile(end - begin, kTile);
    for (Index from = begin; from < p; from += kTile) {
      ctx.check_cancelled();
      const Index to = std::min(from + kTile, p);
      blas::gemm(true, false, as_int(end - begin), as_int(to - from), n, 1, values.col(begin).data(), n,
                 values.col(from).data(), n, 0, tile.data(), as_int(end - begin));
      for (Index i = begin; i < end; ++i) {
        double* row = distances.data() + CondensedDistances::row(i, p);
        for (Index j = std::max(from, i + 1); j < to; ++j) row[j] = std::max(0.0, 1 - tile(i - begin, j - from));
      }
    }
    progress.advance((end - begin) * (p - end) + CondensedDistances::count(end - begin));
  });
  return distances;
}

double correlation_bytes(Index samples, Index features) {
  const auto n = static_cast<double>(samples);
  const auto p = static_cast<double>(features);
  return sizeof(double) * (n * p + p * (p - 1) / 2 + static_cast<double>(kTile * kTile));
}

}  // namespace clade
