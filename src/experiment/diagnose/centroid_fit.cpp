#include "experiment/diagnose/centroid_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "evaluate/node_distance.h"
#include "evaluate/statistics/ranks.h"
#include "induce/centroids.h"
#include "induce/distances.h"

namespace clade {
namespace {

constexpr Index kPermutationsPerChunk = 8;
constexpr double kRounding = 1e-12;  // relative; correlations nearer than this are equal

// A random part of the classes, in their order.
ClassSamples some_classes(const ClassSamples& all, Index most, std::uint64_t seed) {
  std::vector<Index> numbers(static_cast<std::size_t>(all.size()));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  RandomStream(seed, {kPermutationStream, 1}).shuffle(std::span(numbers));
  numbers.resize(static_cast<std::size_t>(most));
  std::ranges::sort(numbers);
  ClassSamples some;
  some.offsets.push_back(0);
  for (const Index k : numbers) {
    some.classes.push_back(all.classes[static_cast<std::size_t>(k)]);
    some.samples.insert(some.samples.end(), all.of(k).begin(), all.of(k).end());
    some.offsets.push_back(std::ssize(some.samples));
  }
  return some;
}

// The numbers of all pairs i < j, and where those of a class begin.
struct Pairs {
  Index classes = 0;

  std::size_t count() const { return static_cast<std::size_t>(classes * (classes - 1) / 2); }
  std::size_t at(Index i, Index j) const {
    if (i > j) std::swap(i, j);
    return static_cast<std::size_t>(i * classes - i * (i + 1) / 2 + j - i - 1);
  }
};

// Ranks less their mean, so that a sum of products is a covariance.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<double> ranks = mean_ranks(values);
  const double mean = (static_cast<double>(ranks.size()) + 1) / 2;
  for (double& rank : ranks) rank -= mean;
  return ranks;
}

double sum_of_squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// The sum of products where class k stands at the place of class order[k].
double permuted_products(const std::vector<double>& cosine, const std::vector<double>& distance, const Pairs& pairs,
                         const std::vector<Index>& order) {
  double total = 0;
  std::size_t at = 0;
  for (Index i = 0; i < pairs.classes; ++i) {
    double row = 0;
    for (Index j = i + 1; j < pairs.classes; ++j) {
      row += cosine[at++] * distance[pairs.at(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)])];
    }
    total += row;
  }
  return total;
}

void test_correlation(CentroidFit& fit, const std::vector<double>& cosine, const std::vector<double>& distance,
                      const Pairs& pairs, Index permutations, Context& ctx) {
  const std::vector<double> by_cosine = centred_ranks(cosine);
  const std::vector<double> by_distance = centred_ranks(distance);
  const double scale = std::sqrt(sum_of_squares(by_cosine) * sum_of_squares(by_distance));
  if (scale == 0) return;
  std::vector<Index> order(static_cast<std::size_t>(pairs.classes));
  std::iota(order.begin(), order.end(), Index{0});
  const double found = permuted_products(by_cosine, by_distance, pairs, order);
  fit.correlation = found / scale;
  const auto as_small = parallel_reduce(
      ctx, permutations, kPermutationsPerChunk, Index{0},
      [&](Index begin, Index end) {
        Index count = 0;
        for (Index k = begin; k < end; ++k) {
          std::vector<Index> drawn = order;
          RandomStream(ctx.seed(), {kPermutationStream, 2, static_cast<std::uint64_t>(k)}).shuffle(std::span(drawn));
          count += permuted_products(by_cosine, by_distance, pairs, drawn) <= found + kRounding * scale ? 1 : 0;
        }
        return count;
      },
      [](Index& total, Index part) { total += part; });
  fit.permutations = permutations;
  fit.p = static_cast<double>(as_small + 1) / static_cast<double>(permutations + 1);
}

}  // namespace

Matrix centroid_cosines(const Dataset& data, const ClassSamples& classes, Context& ctx) {
  const Shift shift = is_sparse(data.matrix()) ? Shift::kNo : Shift::kToMeanZero;
  const Centroids centroids = class_centroids(data, classes, false, ctx, shift);
  const auto gram = linear_gram(centroids, ctx);
  const Index q = classes.size();
  Matrix cosines(q, q);
  constexpr Index kClassesPerStrip = 128;
  parallel_for(ctx, q, kClassesPerStrip, [&](Index begin, Index end) {
    Matrix tile(end - begin, q);
    gram->strip(begin, end)->products(0, q, tile);
    cosines.middleRows(begin, end - begin) = tile;
  });
  const Vector squares = cosines.diagonal();
  for (Index j = 0; j < q; ++j) {
    for (Index i = 0; i < q; ++i) {
      const double lengths = std::sqrt(squares(i)) * std::sqrt(squares(j));
      cosines(i, j) = lengths > 0 ? std::clamp(cosines(i, j) / lengths, -1.0, 1.0) : 0;
    }
  }
  return cosines;
}

CentroidFit centroid_fit(const Dataset& data, Index permutations, Context& ctx) {
  const ClassSamples all = class_samples(data);
  const ClassSamples classes = all.size() > kMostFitClasses ? some_classes(all, kMostFitClasses, ctx.seed()) : all;
  const Pairs pairs{classes.size()};
  const Matrix cosines = centroid_cosines(data, classes, ctx);
  std::vector<NodePair> nodes;
  std::vector<double> cosine;
  for (Index i = 0; i < pairs.classes; ++i) {
    for (Index j = i + 1; j < pairs.classes; ++j) {
      nodes.push_back({classes.classes[static_cast<std::size_t>(i)], classes.classes[static_cast<std::size_t>(j)]});
      cosine.push_back(cosines(i, j));
    }
  }
  const std::vector<int> edges = distances(data.taxonomy(), nodes, ctx);
  CentroidFit fit;
  fit.classes = pairs.classes;
  fit.is_centred = !is_sparse(data.matrix());
  std::map<int, DistanceRow> rows;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    DistanceRow& row = rows[edges[k]];
    row.distance = edges[k];
    ++row.pairs;
    row.cosine += cosine[k];
  }
  for (auto& [distance, row] : rows) {
    row.cosine /= static_cast<double>(row.pairs);
    fit.rows.push_back(row);
  }
  test_correlation(fit, cosine, {edges.begin(), edges.end()}, pairs, permutations, ctx);
  return fit;
}

}  // namespace clade
