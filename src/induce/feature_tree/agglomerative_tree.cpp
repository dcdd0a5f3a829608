#include <clade/error.h>
#include <clade/learn.h>
#include <fmt/format.h>

#include "core/memory_size.h"
#include "data/missing.h"
#include "induce/cluster_tree.h"
#include "induce/cut.h"
#include "induce/feature_tree/correlation_distances.h"
#include "induce/feature_tree/feature_tree_maker.h"
#include "induce/feature_tree/tidy_groups.h"
#include "induce/linkage.h"

namespace clade {
namespace {

struct AgglomerativeTreeOptions {
  int depth = 3;
  Index smallest = 2;
};

template <class V>
void describe(V& v, AgglomerativeTreeOptions& o) {
  v("depth", o.depth, between(1, 1000), "levels of groups below the root");
  v("smallest", o.smallest, at_least(1), "fewest features of a group; smaller groups are merged into the one above");
}

// The clusters of every level as groups, named by their path: cluster-2.1 is the first part of cluster-2. `features`
// lists the features that were clustered.
std::vector<FeatureGroup> groups_of(const Dendrogram& dendrogram, std::span<const FeatureIndex> features) {
  std::vector<FeatureGroup> groups{{.name = "root"}};
  std::vector<NodeId> group_of(features.size(), 0);
  std::vector<Index> children{0};
  for (int level = 1; level < dendrogram.levels; ++level) {
    std::vector<NodeId> group_of_cluster;
    const std::vector<Index> clusters = clusters_at(dendrogram, level);
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      // Clusters are numbered by their first features.
      if (clusters[k] == std::ssize(group_of_cluster)) {
        const auto parent = static_cast<std::size_t>(group_of[k]);
        const Index number = ++children[parent];
        group_of_cluster.push_back(static_cast<NodeId>(groups.size()));
        children.push_back(0);
        groups.push_back({.name = parent == 0 ? fmt::format("cluster-{}", number)
                                              : fmt::format("{}.{}", groups[parent].name, number),
                          .parent = group_of[k]});
      }
      group_of[k] = group_of_cluster[static_cast<std::size_t>(clusters[k])];
    }
  }
  for (std::size_t k = 0; k < features.size(); ++k) {
    groups[static_cast<std::size_t>(group_of[k])].features.push_back(features[k]);
  }
  return groups;
}

class AgglomerativeTree : public FeatureTreeMaker {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  FeatureHierarchy make(const FeatureTreeInput& input, Context& ctx) override {
    const Dataset& data = input.data;
    require_finite(data, 0, data.samples());
    const std::vector<FeatureIndex> features = varying_features(data);
    if (std::ssize(features) < options_.depth + 2) {
      throw usage_error(fmt::format("`depth`: {} levels of {} features that vary", options_.depth, features.size()),
                        fmt::format("expected at least {} features, or fewer levels", options_.depth + 2));
    }
    require_memory(data.samples(), std::ssize(features), input.memory, ctx);
    Dendrogram dendrogram;
    dendrogram.classes.resize(features.size());
    dendrogram.merges = agglomerate(correlation_distances(data, features, ctx), Linkage::kAverage, ctx);
    dendrogram.levels = options_.depth + 1;
    cut_levels(dendrogram.merges, dendrogram.levels);
    const std::vector<FeatureGroup> groups = tidy_groups(groups_of(dendrogram, features), options_.smallest, 0);
    FeatureHierarchy hierarchy{.tree = FeatureTree::build(data.features(), groups, {.is_whole = false})};
    if (const Index constant = hierarchy.tree.uncovered(); constant > 0) {
      hierarchy.notes.push_back(fmt::format(
          "{} correlated with no other, directly below the root",
          constant == 1 ? std::string("1 constant feature is") : fmt::format("{} constant features are", constant)));
    }
    return hierarchy;
  }

 private:
  // Announces the memory that the work will take, and refuses what would not fit.
  static void require_memory(Index samples, Index features, double limit, Context& ctx) {
    constexpr double kWorthSaying = 100 * 0x1p20;
    const double bytes = correlation_bytes(samples, features);
    if (bytes > limit) {
      throw usage_error(fmt::format("clustering {} features needs about {}, more than {}", features, bytes_text(bytes),
                                    bytes_text(limit)),
                        "expected fewer features, or more by `memory`");
    }
    if (bytes > kWorthSaying) {
      ctx.info(fmt::format("clustering {} features takes about {}", features, bytes_text(bytes)));
    }
  }

  AgglomerativeTreeOptions options_;
};

}  // namespace

std::unique_ptr<FeatureTreeMaker> make_agglomerative_tree() {
  return std::make_unique<AgglomerativeTree>();
}

}  // namespace clade
