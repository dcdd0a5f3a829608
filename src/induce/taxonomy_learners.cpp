// The table of taxonomy learners. To add one, write its file; declare its factory function here and list it.

#include "core/method_table.h"
#include "induce/taxonomy_learner.h"

namespace clade {

std::unique_ptr<TaxonomyLearner> make_agglomerative();

namespace {

constexpr MethodRow<TaxonomyLearner> kLearners[] = {
    {"agglomerative", "the nearest classes joined step by step, cut where links are inconsistent", "Cai 2008",
     make_agglomerative},
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
