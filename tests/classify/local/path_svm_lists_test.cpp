#include <gtest/gtest.h>

#include <map>
#include <set>

#include "classify/train.h"
#include "data/node_table.h"
#include "data/random_data.h"

namespace clade {
namespace {

FeatureRanking ranking_of(const Dataset& data, const std::vector<std::vector<FeatureIndex>>& lists) {
  FeatureRanking ranking;
  std::size_t k = 0;
  for (const NodeTable& table : node_tables(data)) {
    NodeRanking& node = ranking.nodes.emplace_back();
    node.node = table.node;
    node.ranking = lists[k++ % lists.size()];
    node.weight.assign(node.ranking.size(), 1);
  }
  return ranking;
}

// The weights of every node's SVM, by feature.
std::map<NodeId, std::map<FeatureIndex, double>> node_weights(const ModelBody& model) {
  std::map<NodeId, std::map<FeatureIndex, double>> weights;
  const NodeClassifier& paths = model.nodes[0];
  for (const NodeId node : paths.children) weights[node] = {};
  std::visit(
      [&](const auto& outputs) {
        for (std::size_t k = 0; k < paths.linear.features.size(); ++k) {
          for (std::size_t e = paths.linear.offsets[k]; e < paths.linear.offsets[k + 1]; ++e) {
            weights[paths.children[outputs[e]]][paths.linear.features[k]] = std::get<1>(paths.linear.weights)[e];
          }
        }
      },
      paths.linear.outputs);
  return weights;
}

// Every node solves the problem of its own features: the same as if all nodes had these.
TEST(PathSvmLists, ANodeUsesTheFeaturesOfItsParents) {
  const std::vector<std::vector<FeatureIndex>> lists = {{0, 2, 5}, {1, 2}, {3, 4, 6}};
  int nodes = 0;
  for (const bool dag : {false, true}) {
    for (const bool sparse : {false, true}) {
      const Dataset data = random_dataset(
          {.samples = 60, .features = 7, .nodes = 14, .dag = dag, .sparse = sparse, .density = 0.9, .seed = 5});
      const std::vector<NodeTable> tables = node_tables(data);
      TrainOptions options{
          .classifier = "path-svm",
          .parameters = {{"weights", "double"}, {"prune", "0"}, {"size-power", "0"}, {"c", "1"}, {"scale", "unit"}}};
      options.ranking = ranking_of(data, lists);
      Context ctx({.threads = 2});
      const auto found = node_weights(train_model(data, options, ctx));
      for (const auto& [node, weights] : found) {
        std::set<FeatureIndex> own;
        bool has_siblings = true;
        for (std::size_t t = 0; t < tables.size(); ++t) {
          const auto parents = data.taxonomy().parents(node);
          if (std::ranges::find(parents, tables[t].node) == parents.end()) continue;
          has_siblings = has_siblings && tables[t].classes() > 1;
          own.insert(lists[t % lists.size()].begin(), lists[t % lists.size()].end());
        }
        if (!has_siblings) continue;  // then lists of nodes further up count
        options.ranking = ranking_of(data, {{own.begin(), own.end()}});
        const auto same = node_weights(train_model(data, options, ctx));
        EXPECT_EQ(weights, same.at(node)) << node;
        ++nodes;
      }
    }
  }
  EXPECT_GT(nodes, 15);
}

}  // namespace
}  // namespace clade
