// The table of feature-tree methods. To add one, write its file; declare its factory function here and list it.

#include "core/method_table.h"
#include "induce/feature_tree/feature_tree_maker.h"

namespace clade {

std::unique_ptr<FeatureTreeMaker> make_wordnet_tree();
std::unique_ptr<FeatureTreeMaker> make_spatial_tree();
std::unique_ptr<FeatureTreeMaker> make_agglomerative_tree();
std::unique_ptr<FeatureTreeMaker> make_file_tree();

namespace {

constexpr MethodRow<FeatureTreeMaker> kMakers[] = {
    {"wordnet", "words by what they are kinds of, in WordNet", "Miller 1995; Wang et al. 2017", make_wordnet_tree},
    {"spatial", "the pixels of an image by place: quarters, and quarters of those", "Wang et al. 2017",
     make_spatial_tree},
    {"agglomerative", "features by correlation, average linkage, cut into levels", "Wang et al. 2017",
     make_agglomerative_tree},
    {"file", "groups of a file, checked against the data", "Liu and Ye 2010", make_file_tree},
};

}  // namespace

const MethodTable<FeatureTreeMaker>& feature_tree_table() {
  static constexpr MethodTable<FeatureTreeMaker> kTable("feature-tree method", kMakers);
  return kTable;
}

std::vector<MethodInfo> feature_tree_methods() {
  return feature_tree_table().infos();
}

}  // namespace clade
