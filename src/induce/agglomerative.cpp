// Automatic hierarchy learning (Cai, thesis, Algorithm 8): computes class centroids, clusters them agglomeratively, and
// cuts the dendrogram where links are inconsistent, or into a given number of levels.
//
// Cost: O(values of the data + q² p) for the centroids and their distances, O(q²) for clustering; memory for q (q - 1)
// / 2 distances and the centroids.

#include <clade/error.h>
#include <fmt/format.h>

#include "core/memory_size.h"
#include "data/kernel/kernel_check.h"
#include "induce/centroids.h"
#include "induce/cluster_tree.h"
#include "induce/cut.h"
#include "induce/distances.h"
#include "induce/linkage.h"
#include "induce/taxonomy_learner.h"

namespace clade {
namespace {

constexpr Choice<Linkage> kLinkageWords[] = {
    {Linkage::kAverage, "average"}, {Linkage::kComplete, "complete"}, {Linkage::kSingle, "single"}};
constexpr double kTiles = 2 * 0x1p20;  // bytes per thread: a tile of inner products and its operands

struct AgglomerativeOptions {
  Linkage linkage = Linkage::kAverage;
  int levels = 0;  // 0: two, cut by inconsistency
  bool strict = false;
  KernelOptions kernel;
};

template <class V>
void describe(V& v, AgglomerativeOptions& o) {
  v("linkage", o.linkage, kLinkageWords,
    "distance between two clusters: mean, largest or smallest over pairs of classes");
  v("levels", o.levels, between(0, 1000), "levels below the root, cut by distance; 0: two, cut by inconsistency");
  v("strict", o.strict, "put every class at the last level; a cluster of one class is a node, too");
  describe(v, o.kernel);
}

class Agglomerative : public TaxonomyLearner {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  LearnedTaxonomy learn(const LearnInput& input, Context& ctx) override {
    const double memory = require_memory(input, ctx);
    Dendrogram dendrogram = named_classes(input);
    dendrogram.merges = merges_of(input, ctx);
    set_inconsistency(dendrogram.merges);
    std::vector<std::string> notes;
    if (options_.levels == 0) {
      dendrogram.threshold = cut_inconsistent(dendrogram.merges);
    } else {
      dendrogram.levels = options_.levels;
      cut_levels(dendrogram.merges, options_.levels);
    }
    const bool is_cut = !dendrogram.merges.empty() && dendrogram.merges.back().cuts > 0;
    if (!is_cut && options_.levels != 1) {
      notes.push_back(fmt::format("no link stands out: all {} classes are one cluster{}", dendrogram.classes.size(),
                                  options_.strict ? "" : ", left out as it divides nothing"));
    }
    std::vector<std::string> without_samples;
    for (const NodeId node : input.classes.without_samples) {
      without_samples.push_back(input.data.taxonomy().name(node));
    }
    ClusterTree tree = cluster_tree(dendrogram, without_samples, options_.strict);
    return {.taxonomy = std::move(tree.taxonomy),
            .clusters = std::move(tree.clusters),
            .dendrogram = std::move(dendrogram),
            .method = {},
            .parameters = {},
            .notes = std::move(notes),
            .memory = memory,
            .seconds = 0};
  }

 private:
  // Announces the memory that the work will take, and refuses what would not fit.
  static double require_memory(const LearnInput& input, Context& ctx) {
    constexpr double kWorthSaying = 100 * 0x1p20;
    const auto q = static_cast<double>(input.classes.size());
    const double distances = q * (q - 1) / 2 * sizeof(double);
    const double other = centroid_bytes(input.data, input.classes) + kTiles * ctx.threads();
    const double total = distances + other;
    if (total > kWorthSaying) ctx.info(fmt::format("memory: about {} beside the data", bytes_text(total)));
    if (input.memory > 0 && total > input.memory) {
      throw usage_error(fmt::format("clustering {} classes needs about {} of memory and may use {}",
                                    input.classes.size(), bytes_text(total), bytes_text(input.memory)),
                        "expected fewer classes, or a larger `memory`");
    }
    return total;
  }

  static Dendrogram named_classes(const LearnInput& input) {
    Dendrogram dendrogram;
    for (Index k = 0; k < input.classes.size(); ++k) {
      dendrogram.classes.push_back(input.data.taxonomy().name(input.classes.classes[static_cast<std::size_t>(k)]));
      dendrogram.samples.push_back(std::ssize(input.classes.of(k)));
    }
    return dendrogram;
  }

  std::vector<Merge> merges_of(const LearnInput& input, Context& ctx) const {
    if (options_.kernel.kind != KernelKind::kLinear) {
      const auto gram = kernel_gram(input.data, input.classes, options_.kernel, input.unit, ctx);
      return agglomerate(euclidean_distances(*gram, ctx), options_.linkage, ctx);
    }
    check_kernel_fits(KernelKind::kLinear, input.data);
    const Centroids centroids = class_centroids(input.data, input.classes, input.unit, ctx);
    return agglomerate(euclidean_distances(*linear_gram(centroids, ctx), ctx), options_.linkage, ctx);
  }

  AgglomerativeOptions options_;
};

}  // namespace

std::unique_ptr<TaxonomyLearner> make_agglomerative() {
  return std::make_unique<Agglomerative>();
}

}  // namespace clade
