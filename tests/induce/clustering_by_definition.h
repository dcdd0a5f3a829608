#pragma once

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "core/random.h"
#include "induce/linkage.h"

namespace clade {

using Square = std::vector<std::vector<double>>;  // distances of all pairs, twice

inline CondensedDistances condensed(const Square& square) {
  const auto q = std::ssize(square);
  CondensedDistances distances(q);
  for (Index i = 0; i < q; ++i) {
    for (Index j = i + 1; j < q; ++j) {
      distances.data()[CondensedDistances::row(i, q) + j] =
          square[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return distances;
}

// `step` > 0 rounds distances to its multiples, so that many are equal.
inline Square random_distances(Index q, RandomStream& random, double step = 0) {
  Square square(static_cast<std::size_t>(q), std::vector<double>(static_cast<std::size_t>(q), 0));
  for (std::size_t i = 0; i < square.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double d = 0.5 + random.uniform();
      if (step > 0) d = step * static_cast<double>(1 + random.below(4));
      square[i][j] = square[j][i] = d;
    }
  }
  return square;
}

// By the definition of the linkage, over all pairs of objects.
inline double cluster_distance(const Square& square, const std::vector<std::size_t>& a,
                               const std::vector<std::size_t>& b, Linkage linkage) {
  double sum = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const std::size_t i : a) {
    for (const std::size_t j : b) {
      sum += square[i][j];
      low = std::min(low, square[i][j]);
      high = std::max(high, square[i][j]);
    }
  }
  if (linkage == Linkage::kSingle) return low;
  if (linkage == Linkage::kComplete) return high;
  return sum / static_cast<double>(a.size() * b.size());
}

struct Joined {
  std::vector<std::size_t> objects;  // ascending
  double distance;
};

// Looks at all pairs of clusters at every step.
inline std::vector<Joined> cluster_by_definition(const Square& square, Linkage linkage) {
  std::vector<std::vector<std::size_t>> clusters;
  for (std::size_t k = 0; k < square.size(); ++k) clusters.push_back({k});
  std::vector<Joined> steps;
  while (clusters.size() > 1) {
    std::size_t a = 0;
    std::size_t b = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      for (std::size_t j = i + 1; j < clusters.size(); ++j) {
        const double d = cluster_distance(square, clusters[i], clusters[j], linkage);
        if (d < least) {
          least = d;
          a = i;
          b = j;
        }
      }
    }
    clusters[a].insert(clusters[a].end(), clusters[b].begin(), clusters[b].end());
    std::sort(clusters[a].begin(), clusters[a].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(b));
    steps.push_back({clusters[a], least});
  }
  return steps;
}

// The objects below every part: the objects themselves, then the merges.
inline std::vector<std::vector<std::size_t>> objects_below(const std::vector<Merge>& merges) {
  std::vector<std::vector<std::size_t>> below;
  for (std::size_t k = 0; k <= merges.size(); ++k) below.push_back({k});
  for (const Merge& merge : merges) {
    std::vector<std::size_t> objects = below[static_cast<std::size_t>(merge.first)];
    const auto& more = below[static_cast<std::size_t>(merge.second)];
    objects.insert(objects.end(), more.begin(), more.end());
    std::sort(objects.begin(), objects.end());
    below.push_back(std::move(objects));
  }
  return below;
}

}  // namespace clade
