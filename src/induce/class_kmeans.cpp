// A tree of classes by k-means (label trees: Bengio et al. 2010): the centroids of the classes are divided into
// clusters, and these again, until every cluster is small enough.
//
// Only distances between centroids are used: with S(x, C) the sum of the squared distances of x to the members of C,
//
//   ||x - mean of C||² = S(x, C) / |C| - (sum over y in C of S(y, C)) / (2 |C|²)
//
// so that sparse data stays sparse, and kernels work as well. Cost: O(values of the data + q² p) for the distances, and
// O(starts * iterations * q²) for each level; memory for q (q - 1) / 2 distances and the centroids.

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/random.h"
#include "induce/class_distances.h"
#include "induce/class_groups.h"
#include "induce/taxonomy_learner.h"

namespace clade {
namespace {

constexpr Index kRowsPerChunk = 64;
constexpr int kMostIterations = 100;
constexpr double kLeastGain = 1e-12;  // relative; less is rounding

struct ClassKmeansOptions {
  int branching = 0;
  int levels = 0;
  bool balanced = false;
  int starts = 10;
  KernelOptions kernel;
};

template <class V>
void describe(V& v, ClassKmeansOptions& o) {
  v("branching", o.branching, between(0, 1'000'000),
    "children of a node, and classes from which a cluster is divided again; 0: the root of the number of classes, by "
    "`levels`");
  v("levels", o.levels, between(0, 1000), "levels below the root; 0: two, or as many as `branching` needs");
  v("balanced", o.balanced, "clusters of one node hold equally many classes, give or take one");
  v("starts", o.starts, between(1, 1'000'000), "random starts of each division; the best is kept");
  describe(v, o.kernel);
}

// A division of some classes: their clusters, numbered from 0, and the sum of squared distances to the means.
struct Division {
  std::vector<Index> cluster;
  double cost = std::numeric_limits<double>::infinity();
};

// K-means over some of the classes, by their distances.
class Divider {
 public:
  Divider(const CondensedDistances& distances, std::span<const std::size_t> classes, Index clusters, bool balanced,
          Context& ctx)
      : distances_(distances), classes_(classes), clusters_(clusters), balanced_(balanced), ctx_(ctx) {}

  Division best_of(int starts, std::uint64_t node) {
    Division best;
    for (int start = 0; start < starts; ++start) {
      RandomStream random(ctx_.seed(), {kClusterStream, 1, node, static_cast<std::uint64_t>(start)});
      Division division = from(first_seeds(random));
      if (division.cost < best.cost * (1 - kLeastGain) || best.cluster.empty()) best = std::move(division);
    }
    return best;
  }

 private:
  Index size() const { return std::ssize(classes_); }
  double square(Index i, Index j) const {
    if (i == j) return 0;
    const double d = distances_(static_cast<Index>(classes_[static_cast<std::size_t>(i)]),
                                static_cast<Index>(classes_[static_cast<std::size_t>(j)]));
    return d * d;
  }

  // k-means++ (Arthur and Vassilvitskii 2007): each next seed is drawn by its squared distance to the nearest so far.
  // Every class goes to its nearest seed.
  std::vector<Index> first_seeds(RandomStream& random) const {
    std::vector<double> nearest(classes_.size(), std::numeric_limits<double>::infinity());
    std::vector<Index> cluster(classes_.size(), 0);
    Index seed = random.below(size());
    for (Index c = 0; c < clusters_; ++c) {
      for (Index i = 0; i < size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double d = square(i, seed);
        if (d < nearest[at]) {
          nearest[at] = d;
          cluster[at] = c;
        }
      }
      double left = random.uniform() * std::accumulate(nearest.begin(), nearest.end(), 0.0);
      seed = 0;
      while (seed + 1 < size() && (left -= nearest[static_cast<std::size_t>(seed)]) >= 0) ++seed;
    }
    return cluster;
  }

  Division from(std::vector<Index> cluster) const {
    Division best;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const std::vector<double> costs = costs_of(cluster);
      std::vector<Index> next = balanced_ ? balanced(costs) : nearest(costs);
      double cost = 0;
      for (Index i = 0; i < size(); ++i) cost += costs[cell(i, cluster[static_cast<std::size_t>(i)])];
      const bool is_feasible = !balanced_ || iteration > 0 || next == cluster;
      const bool gains = is_feasible && cost < best.cost * (1 - kLeastGain);
      if (gains) best = {cluster, cost};
      if (next == cluster || (is_feasible && !gains)) break;
      cluster = std::move(next);
    }
    return best;
  }

  std::size_t cell(Index i, Index c) const { return static_cast<std::size_t>(i * clusters_ + c); }

  // Squared distances of every class to the mean of every cluster; infinite for empty ones.
  std::vector<double> costs_of(const std::vector<Index>& cluster) const {
    std::vector<double> sums(classes_.size() * static_cast<std::size_t>(clusters_), 0);
    parallel_for(ctx_, size(), kRowsPerChunk, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        for (Index j = 0; j < size(); ++j) sums[cell(i, cluster[static_cast<std::size_t>(j)])] += square(i, j);
      }
    });
    std::vector<double> count(static_cast<std::size_t>(clusters_), 0);
    std::vector<double> within(static_cast<std::size_t>(clusters_), 0);
    for (Index i = 0; i < size(); ++i) {
      const Index c = cluster[static_cast<std::size_t>(i)];
      count[static_cast<std::size_t>(c)] += 1;
      within[static_cast<std::size_t>(c)] += sums[cell(i, c)];
    }
    for (Index i = 0; i < size(); ++i) {
      for (Index c = 0; c < clusters_; ++c) {
        const double n = count[static_cast<std::size_t>(c)];
        double& cost = sums[cell(i, c)];
        cost = n == 0 ? std::numeric_limits<double>::infinity()
                      : std::max(0.0, cost / n - within[static_cast<std::size_t>(c)] / (2 * n * n));
      }
    }
    return sums;
  }

  std::vector<Index> nearest(const std::vector<double>& costs) const {
    std::vector<Index> cluster(classes_.size());
    for (Index i = 0; i < size(); ++i) {
      const auto row = costs.begin() + static_cast<std::ptrdiff_t>(i * clusters_);
      cluster[static_cast<std::size_t>(i)] = std::min_element(row, row + clusters_) - row;
    }
    return cluster;
  }

  // Pairs of a class and a cluster, nearest first, as long as the cluster has room. Of n classes, each of the k
  // clusters gets floor(n / k), and the first n mod k to ask for it one more.
  std::vector<Index> balanced(const std::vector<double>& costs) const {
    std::vector<Index> order(costs.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [&](Index pair) { return std::pair(costs[static_cast<std::size_t>(pair)], pair); });
    std::vector<Index> cluster(classes_.size(), -1);
    std::vector<Index> count(static_cast<std::size_t>(clusters_), 0);
    const Index share = size() / clusters_;
    Index larger = size() % clusters_;
    for (const Index pair : order) {
      Index& own = cluster[static_cast<std::size_t>(pair / clusters_)];
      Index& members = count[static_cast<std::size_t>(pair % clusters_)];
      if (own >= 0 || members > share || (members == share && larger == 0)) continue;
      if (members == share) --larger;
      own = pair % clusters_;
      ++members;
    }
    return cluster;
  }

  const CondensedDistances& distances_;
  std::span<const std::size_t> classes_;
  Index clusters_;
  bool balanced_;
  Context& ctx_;
};

class ClassKmeans : public TaxonomyLearner {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  LearnedTaxonomy learn(const LearnInput& input, Context& ctx) override {
    const double memory = require_distance_memory(input, ctx);
    const CondensedDistances distances = class_distances(input, options_.kernel, ctx);
    std::vector<std::string> names = names_of(input.data, input.classes.classes);
    const std::vector<std::string> others = names_of(input.data, input.classes.without_samples);
    std::vector<std::size_t> all(names.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    names.insert(names.end(), others.begin(), others.end());
    ClassGroups groups(names);
    divide(distances, std::move(all), groups, ctx);
    ClusterTree tree = groups.tree();
    std::vector<std::string> notes;
    if (tree.clusters.empty() && input.classes.size() > 2 && options_.levels != 1) {
      notes.push_back("the classes were not divided: all are directly below the root");
    }
    return {.taxonomy = std::move(tree.taxonomy),
            .clusters = std::move(tree.clusters),
            .dendrogram = {},
            .method = {},
            .parameters = {},
            .notes = std::move(notes),
            .memory = memory,
            .seconds = 0};
  }

 private:
  struct Part {
    std::vector<std::size_t> classes;
    std::size_t group = 0;
    int depth = 0;
  };

  // With neither given: two levels.
  int levels() const { return options_.levels == 0 && options_.branching == 0 ? 2 : options_.levels; }
  Index branching(std::size_t classes) const {
    if (options_.branching > 0) return options_.branching;
    return std::max<Index>(2, std::llround(std::pow(static_cast<double>(classes), 1.0 / levels())));
  }

  void divide(const CondensedDistances& distances, std::vector<std::size_t> all, ClassGroups& groups,
              Context& ctx) const {
    const Index most = branching(all.size());
    std::vector<Part> parts{{std::move(all), 0, 0}};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Part part = parts[p];
      const bool is_small = std::ssize(part.classes) <= most;
      if (is_small || part.classes.size() < 3 || (levels() > 0 && part.depth + 1 >= levels())) continue;
      Divider divider(distances, part.classes, most, options_.balanced, ctx);
      const Division division = divider.best_of(options_.starts, p);
      for (std::vector<std::size_t>& cluster : clusters_of(part.classes, division.cluster, most)) {
        if (cluster.size() < 2 || cluster.size() == part.classes.size()) continue;
        const std::size_t group = groups.add(cluster, part.group);
        parts.push_back({std::move(cluster), group, part.depth + 1});
      }
    }
  }

  // In the order of their first classes.
  static std::vector<std::vector<std::size_t>> clusters_of(const std::vector<std::size_t>& classes,
                                                           const std::vector<Index>& cluster, Index count) {
    std::vector<std::vector<std::size_t>> clusters;
    std::vector<std::size_t> place(static_cast<std::size_t>(count), classes.size());
    for (std::size_t k = 0; k < classes.size(); ++k) {
      std::size_t& at = place[static_cast<std::size_t>(cluster[k])];
      if (at == classes.size()) {
        at = clusters.size();
        clusters.emplace_back();
      }
      clusters[at].push_back(classes[k]);
    }
    return clusters;
  }

  ClassKmeansOptions options_;
};

}  // namespace

std::unique_ptr<TaxonomyLearner> make_class_kmeans() {
  return std::make_unique<ClassKmeans>();
}

}  // namespace clade
