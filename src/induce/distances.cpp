#include "induce/distances.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

constexpr Index kTile = 256;        // half a megabyte: with its operands it fits the second cache
constexpr double kReliable = 1e-3;  // a square is trusted down to this share of the squares it is the difference of
constexpr double kLargest = 1e300;  // of a square, so that sums of four are finite

void require_moderate(const CentroidGram& gram) {
  for (Index k = 0; k < gram.classes(); ++k) {
    if (gram.square(k) <= kLargest) continue;
    throw usage_error("distances between classes are not finite: values are too large to compute with",
                      "expected smaller ones, or `scale` unit");
  }
}

}  // namespace

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
