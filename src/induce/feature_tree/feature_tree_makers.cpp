#include <clade/error.h>

#include <string>

#include "induce/feature_tree/feature_tree_maker.h"

namespace clade {
namespace {

struct MakerEntry {
  FeatureTreeMethodInfo info;
  std::unique_ptr<FeatureTreeMaker> (*make)();
};

constexpr MakerEntry kMakers[] = {
    {{"wordnet", "words by what they are kinds of, in WordNet", "Miller 1995; Wang et al. 2017"}, make_wordnet_tree},
    {{"spatial", "the pixels of an image by place: quarters, and quarters of those", "Wang et al. 2017"},
     make_spatial_tree},
    {{"agglomerative", "features by correlation, average linkage, cut into levels", "Wang et al. 2017"},
     make_agglomerative_tree},
    {{"file", "groups of a file, checked against the data", "docs/formats/feature-tree.md"}, make_file_tree},
};

}  // namespace

std::vector<FeatureTreeMethodInfo> feature_tree_methods() {
  std::vector<FeatureTreeMethodInfo> infos;
  for (const MakerEntry& entry : kMakers) infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<FeatureTreeMaker> make_feature_tree_maker(std::string_view name) {
  std::string names;
  for (const MakerEntry& entry : kMakers) {
    if (entry.info.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  throw usage_error("no method '" + std::string(name) + "' that makes a feature tree", "expected one of " + names);
}

}  // namespace clade
