#include <clade/error.h>
#include <clade/induce.h>

#include <string>

#include "induce/agglomerative.h"
#include "induce/taxonomy_learner.h"

namespace clade {
namespace {

struct LearnerEntry {
  TaxonomyLearnerInfo info;
  std::unique_ptr<TaxonomyLearner> (*make)();
};

constexpr LearnerEntry kLearners[] = {
    {{"agglomerative", "the nearest classes joined step by step, cut where links are inconsistent", "Cai 2008"},
     make_agglomerative},
};

}  // namespace

std::vector<TaxonomyLearnerInfo> taxonomy_learners() {
  std::vector<TaxonomyLearnerInfo> infos;
  for (const LearnerEntry& entry : kLearners) infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<TaxonomyLearner> make_taxonomy_learner(std::string_view name) {
  std::string names;
  for (const LearnerEntry& entry : kLearners) {
    if (entry.info.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  throw usage_error("no method '" + std::string(name) + "' that learns a taxonomy", "expected one of " + names);
}

}  // namespace clade
