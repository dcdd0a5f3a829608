#include <gtest/gtest.h>

#include "classify/nodes/node_model.h"
#include "classify/trained_models.h"
#include "model/model_check.h"
#include "model/model_file.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using testing::trained;

TEST(ForestFile, HoldsAllOfIt) {
  for (int k = 0; k < 16; ++k) {
    const Dataset data = random_dataset(testing::random_training_options(k));
    const ModelBody model = trained(data, "forest", {{"trees", "6"}, {"min-leaf", "2"}});
    const TemporaryFolder folder;
    write_model(model, folder.file("m.clade"), false);
    const ModelBody again = read_model_body(folder.file("m.clade"));
    EXPECT_EQ(again.node_model->forest->sets.columns, model.node_model->forest->sets.columns);
    for (std::size_t t = 0; t < 6; ++t) {
      const ClusteringTree& a = model.node_model->forest->trees[t];
      const ClusteringTree& b = again.node_model->forest->trees[t];
      EXPECT_EQ(a.feature, b.feature);
      EXPECT_EQ(a.threshold, b.threshold);
      EXPECT_EQ(a.next, b.next);
      EXPECT_EQ(a.missing_left, b.missing_left);
      EXPECT_EQ(a.leaf_offsets, b.leaf_offsets);
      EXPECT_EQ(a.leaf_set, b.leaf_set);
      EXPECT_EQ(a.leaf_share, b.leaf_share);
      EXPECT_EQ(a.leaf_mass, b.leaf_mass);
    }
    Context ctx;
    EXPECT_EQ(node_sums(model, data, 0, data.samples(), ctx), node_sums(again, data, 0, data.samples(), ctx));
  }
}

// Whatever a forged file says, no way down a tree may leave it or go on for ever.
TEST(ForestFile, ForgedTreesAreRefused) {
  const Dataset data = random_dataset(testing::random_training_options(0));
  const ModelBody model = trained(data, "forest", {{"trees", "2"}, {"min-leaf", "2"}});
  const ClusteringTree& tree = model.node_model->forest->trees[1];
  ASSERT_GT(tree.nodes(), 3);
  const auto expect_refused = [&](const auto& forge) {
    auto nodes = std::make_shared<NodeModel>(*model.node_model);
    forge(*nodes->forest, nodes->forest->trees[1]);
    ModelBody forged = model;
    forged.node_model = nodes;
    EXPECT_THROW(check_model(forged, {}), Error);
  };
  check_model(model, {});
  expect_refused([](Forest&, ClusteringTree& t) { t.next[0] = 0; });
  expect_refused([](Forest&, ClusteringTree& t) { t.next[0] = 1; });
  expect_refused([](Forest&, ClusteringTree& t) { t.next[0] = static_cast<std::int32_t>(t.nodes()); });
  expect_refused([&](Forest&, ClusteringTree& t) { t.feature[0] = static_cast<FeatureIndex>(data.features()); });
  expect_refused([](Forest&, ClusteringTree& t) { t.feature.back() = 0; });
  expect_refused([](Forest&, ClusteringTree& t) { t.next.back() = 0; });
  expect_refused([](Forest&, ClusteringTree& t) { t.threshold[0] = std::numeric_limits<double>::quiet_NaN(); });
  expect_refused([](Forest&, ClusteringTree& t) { t.leaf_set[0] = -1; });
  expect_refused([](Forest&, ClusteringTree& t) { t.leaf_set[0] = 1 << 20; });
  expect_refused([](Forest&, ClusteringTree& t) { t.leaf_share[0] = 2; });
  expect_refused([](Forest&, ClusteringTree& t) { t.leaf_mass[0] = 0; });
  expect_refused([](Forest&, ClusteringTree& t) { t.leaf_offsets.back() += 1; });
  expect_refused([](Forest& f, ClusteringTree&) { f.sets.columns[0] = 1 << 20; });
  expect_refused([](Forest& f, ClusteringTree&) { f.sets.offsets[0] = 1; });
  expect_refused([](Forest& f, ClusteringTree&) { f.trees.clear(); });
}

}  // namespace
}  // namespace clade
