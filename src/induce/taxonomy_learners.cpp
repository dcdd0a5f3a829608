// The table of taxonomy learners. To add one, write its file; declare its factory function here and list it.

#include "core/method_table.h"
#include "induce/taxonomy_learner.h"

namespace clade {

std::unique_ptr<TaxonomyLearner> make_agglomerative();
std::unique_ptr<TaxonomyLearner> make_class_kmeans();
std::unique_ptr<TaxonomyLearner> make_class_wordnet();

namespace {

constexpr MethodRow<TaxonomyLearner> kLearners[] = {
    {"agglomerative", "the nearest classes joined step by step, cut where links are inconsistent",
     "Cai 2008; Murtagh 1983", make_agglomerative},
    {"kmeans", "classes divided by k-means, and their parts again", "Bengio et al. 2010; Arthur and Vassilvitskii 2007",
     make_class_kmeans},
    {"wordnet", "classes by what their names are kinds of, in WordNet", "Miller 1995; Shi and Zhao 2023",
     make_class_wordnet},
};

}  // namespace

const MethodTable<TaxonomyLearner>& taxonomy_learner_table() {
  static constexpr MethodTable<TaxonomyLearner> kTable("taxonomy learner", kLearners);
  return kTable;
}

std::vector<MethodInfo> taxonomy_learners() {
  return taxonomy_learner_table().infos();
}

}  // namespace clade
