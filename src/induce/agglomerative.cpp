// Automatic hierarchy learning (Cai, thesis, Algorithm 8): computes class centroids, clusters them agglomeratively, and
// cuts the dendrogram where links are inconsistent, or into a given number of levels.
//
// Cost: O(values of the data + q² p) for the centroids and their distances, O(q²) for clustering; memory for q (q - 1)
// / 2 distances and the centroids.

#include <fmt/format.h>

#include "induce/class_distances.h"
#include "induce/cluster_tree.h"
#include "induce/cut.h"
#include "induce/linkage.h"
#include "induce/taxonomy_learner.h"

namespace clade {
namespace {

constexpr Choice<Linkage> kLinkageWords[] = {
    {Linkage::kAverage, "average"}, {Linkage::kComplete, "complete"}, {Linkage::kSingle, "single"}};

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
    const double memory = require_distance_memory(input, ctx);
    Dendrogram dendrogram = named_classes(input);
    dendrogram.merges = agglomerate(class_distances(input, options_.kernel, ctx), options_.linkage, ctx);
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
    ClusterTree tree = cluster_tree(dendrogram, names_of(input.data, input.classes.without_samples), options_.strict);
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
  static Dendrogram named_classes(const LearnInput& input) {
    Dendrogram dendrogram;
    dendrogram.classes = names_of(input.data, input.classes.classes);
    for (Index k = 0; k < input.classes.size(); ++k) dendrogram.samples.push_back(std::ssize(input.classes.of(k)));
    return dendrogram;
  }

  AgglomerativeOptions options_;
};

}  // namespace

std::unique_ptr<TaxonomyLearner> make_agglomerative() {
  return std::make_unique<Agglomerative>();
}

}  // namespace clade
