#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "classify/predict.h"
#include "classify/trained_models.h"
#include "core/random.h"

namespace clade {
namespace {

using testing::slow_outputs;
using testing::trained;

Predictions predicted(const ModelBody& model, const Dataset& data, Index top_k = 1, int threads = 2) {
  Context ctx({.threads = threads});
  return predict(model, data, {.top_k = top_k}, ctx);
}

// Groups of leaves at the same depth. Some features tell the group, and noisier ones the leaf within it.
Dataset grouped_data(Index samples, double group_signal, double leaf_signal, std::uint64_t seed) {
  constexpr int kGroups = 4;
  constexpr int kLeaves = 4;
  TaxonomyBuilder builder;
  for (int g = 0; g < kGroups; ++g) {
    for (int l = 0; l < kLeaves; ++l) {
      builder.path("g" + std::to_string(g) + "/l" + std::to_string(l), "/");
    }
  }
  builder.imply_root();
  const Taxonomy taxonomy = builder.build();
  RandomStream random(seed, {kTestStream, 73});
  constexpr Index kFeatures = 24;
  DenseMatrix<double> matrix{samples, kFeatures, Buffer<double>(samples * kFeatures)};
  LabelSets labels;
  for (Index s = 0; s < samples; ++s) {
    const Index group = random.below(kGroups);
    const Index leaf = random.below(kLeaves);
    for (Index f = 0; f < kFeatures; ++f) matrix.values[s * kFeatures + f] = random.normal();
    matrix.values[s * kFeatures + group] += group_signal;
    matrix.values[s * kFeatures + 4 + group * kLeaves + leaf] += leaf_signal;
    labels.nodes.push_back(*taxonomy.find("g" + std::to_string(group) + "/l" + std::to_string(leaf)));
    labels.offsets.push_back(s + 1);
  }
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  parts.labels = std::move(labels);
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// Sums along every way to every leaf.
std::map<NodeId, double> slow_leaf_scores(const ModelBody& model, const Dataset& data, Index sample) {
  const NodeClassifier& all = model.nodes[0];
  const std::vector<double> outputs = slow_outputs(model, all.linear, data, sample);
  const Taxonomy& taxonomy = *model.taxonomy;
  const auto own = [&](NodeId node) -> const double* {
    const auto found = std::ranges::find(all.children, node);
    return found == all.children.end() ? nullptr : &outputs[static_cast<std::size_t>(found - all.children.begin())];
  };
  std::map<NodeId, double> scores;
  const std::function<void(NodeId, double)> walk = [&](NodeId node, double sum) {
    if (taxonomy.is_leaf(node)) {
      double& best = scores.try_emplace(node, -std::numeric_limits<double>::infinity()).first->second;
      best = std::max(best, sum);
    }
    for (const NodeId child : taxonomy.children(node)) {
      if (own(child) == nullptr) continue;
      const double weight = model.level_weights[static_cast<std::size_t>(taxonomy.depth(child)) - 1];
      walk(child, sum + weight * *own(child));
    }
  };
  walk(0, 0);
  return scores;
}

TEST(PathSvm, BestLeafHasTheLargestWeightedSumAlongAPath) {
  for (int k = 0; k < 24; ++k) {
    const Dataset data = random_dataset(testing::random_training_options(k));
    ModelBody model = trained(data, "path-svm", {{"scale", k % 3 == 0 ? "unit" : "auto"}});
    ASSERT_EQ(std::ssize(model.level_weights), model.taxonomy->longest_path());
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 74});
    for (const bool is_changed : {false, true}) {
      if (is_changed) {
        for (double& w : model.level_weights) w = random.uniform();
      }
      const Predictions found = predicted(model, data, 1000);
      for (Index s = 0; s < data.samples(); ++s) {
        std::map<NodeId, double> expected;
        for (const auto& [leaf, score] : slow_leaf_scores(model, data, s)) expected[model.taxonomy->fold(leaf)] = score;
        ASSERT_EQ(found.labels_of(s).size(), expected.size()) << k;
        for (std::size_t r = 0; r < expected.size(); ++r) {
          EXPECT_NEAR(found.scores_of(s)[r], expected.at(found.labels_of(s)[r]), 1e-9) << k;
          if (r > 0) {
            EXPECT_LE(found.scores_of(s)[r], found.scores_of(s)[r - 1]);
          }
        }
      }
    }
  }
}

// With all weight on the leaves prediction is that of a flat one-vs-rest classifier, which is the same method on a
// hierarchy without inner nodes.
TEST(PathSvm, WeightOnTheLeavesIsFlat) {
  const Dataset data = grouped_data(300, 1, 1.5, 1);
  ModelBody model =
      trained(data, "path-svm", {{"c", "1"}, {"scale", "standard"}, {"tolerance", "1e-6"}, {"iterations", "100000"}});
  model.level_weights = {0, 1};
  std::vector<std::string> names;
  LabelSets labels;
  for (const NodeId leaf : data.taxonomy().leaves()) names.push_back(data.taxonomy().name(leaf));
  const Taxonomy flat = flat_taxonomy(names);
  for (Index s = 0; s < data.samples(); ++s) {
    labels.nodes.push_back(*flat.find(data.taxonomy().name(data.labels(s)[0])));
    labels.offsets.push_back(s + 1);
  }
  const ModelBody reference = trained(data.relabelled(flat, std::move(labels)), "top-down-svm",
                                      {{"loss", "squared-hinge"}, {"tolerance", "1e-6"}, {"iterations", "100000"}});
  const Predictions found = predicted(model, data);
  const Predictions expected = predicted(reference, data);
  for (Index s = 0; s < data.samples(); ++s) {
    EXPECT_EQ(model.taxonomy->name(found.labels_of(s)[0]), flat.name(expected.labels_of(s)[0])) << s;
  }
}

TEST(PathSvm, SameForAnyNumberOfThreadsAndEveryTime) {
  const Dataset data = grouped_data(200, 2, 1, 2);
  const ModelBody one = trained(data, "path-svm", {}, 1);
  const Predictions expected = predicted(one, data, 3, 1);
  for (const int threads : {1, 2, 3}) {
    const ModelBody more = trained(data, "path-svm", {}, threads);
    EXPECT_EQ(more.level_weights, one.level_weights);
    EXPECT_TRUE(
        std::ranges::equal(std::get<0>(more.nodes[0].linear.weights), std::get<0>(one.nodes[0].linear.weights)));
    EXPECT_TRUE(std::ranges::equal(more.nodes[0].linear.bias, one.nodes[0].linear.bias));
    const Predictions found = predicted(more, data, 3, threads);
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.scores, expected.scores);
  }
}

TEST(PathSvm, LevelWeightsAreWithinZeroAndOne) {
  for (int k = 0; k < 24; ++k) {
    const ModelBody model = trained(random_dataset(testing::random_training_options(k)), "path-svm");
    for (const double w : model.level_weights) EXPECT_TRUE(w >= 0 && w <= 1) << k;
    EXPECT_EQ(*std::ranges::max_element(model.level_weights), 1) << k;
  }
}

// Features say more of the group than of the leaf: upper levels help, and never hurt beyond noise.
TEST(PathSvm, IsNotWorseThanFlat) {
  for (const double group_signal : {0.0, 1.5, 3.0}) {
    const Dataset data = grouped_data(600, group_signal, 1.5, 3);
    const Dataset test = grouped_data(2000, group_signal, 1.5, 4);
    ModelBody model = trained(data, "path-svm");
    const auto accuracy = [&] {
      const Predictions found = predicted(model, test);
      double right = 0;
      for (Index s = 0; s < test.samples(); ++s) right += found.labels_of(s)[0] == test.labels(s)[0] ? 1 : 0;
      return right / static_cast<double>(test.samples());
    };
    const double learnt = accuracy();
    model.level_weights = {0, 1};
    const double flat = accuracy();
    EXPECT_GE(learnt, flat - 0.02) << group_signal;
    if (group_signal == 3) {
      EXPECT_GE(learnt, flat) << group_signal;
    }
  }
}

// Hierarchical F1 plus accuracy of answers for samples that are really left out, one by one.
double left_out_quality(const Dataset& data, const std::string& scale, const std::string& c) {
  double right = 0;
  double common = 0;
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<Index> others;
  for (Index s = 0; s < data.samples(); ++s) {
    others.clear();
    for (Index other = 0; other < data.samples(); ++other) {
      if (other != s) others.push_back(other);
    }
    const ModelBody model = trained(data.subset(others), "path-svm", {{"scale", scale}, {"c", c}});
    const std::vector<Index> alone = {s};
    const NodeId answer = predicted(model, data.subset(alone)).labels_of(0)[0];
    const NodeId truth = data.labels(s)[0];
    right += answer == truth ? 1 : 0;
    common += answer == truth ? 2 : taxonomy.parents(answer)[0] == taxonomy.parents(truth)[0] ? 1 : 0;
  }
  const auto samples = static_cast<double>(data.samples());
  return (right + common / 2) / samples;
}

TEST(PathSvm, ChoosesScaleAndCThatServeSamplesLeftOut) {
  const Dataset data = grouped_data(80, 2.0, 1.5, 1);
  const ModelBody chosen = trained(data, "path-svm", {});
  const auto found = std::ranges::find(chosen.summary, "chosen c", &std::pair<std::string, std::string>::first);
  ASSERT_NE(found, chosen.summary.end());
  const std::string scale = chosen.has_unit_rows ? "unit" : "standard";
  const ModelBody given = trained(data, "path-svm", {{"scale", scale}, {"c", found->second}});
  EXPECT_EQ(chosen.level_weights, given.level_weights);
  EXPECT_EQ(slow_outputs(chosen, chosen.nodes[0].linear, data, 0), slow_outputs(given, given.nodes[0].linear, data, 0));
  // Worse by no more than what some samples make: levels are weighted once, with all samples.
  const double reached = left_out_quality(data, scale, found->second);
  for (const char* c : {"1", "100"}) EXPECT_GE(reached, left_out_quality(data, "standard", c) - 0.05) << c;
}

// A given power only scales the decisions: s (f + 1) - 1, s being a power of the node's samples relative to the
// geometric mean of its level.
TEST(PathSvm, SizePowerScalesTheDecisions) {
  for (int k = 0; k < 8; ++k) {  // with more, inner nodes are labels and get nodes below them
    const Dataset data = random_dataset(testing::random_training_options(k));
    const auto with_power = [&](const char* power) {
      return trained(data, "path-svm",
                     {{"c", "1"}, {"scale", "unit"}, {"size-power", power}, {"weights", "double"}, {"prune", "0"}});
    };
    const ModelBody plain = with_power("0");
    const ModelBody scaled = with_power("-0.5");
    const Taxonomy& taxonomy = data.taxonomy();
    const std::vector<NodeId>& nodes = plain.nodes[0].children;
    ASSERT_EQ(scaled.nodes[0].children, nodes);
    std::vector<double> size(nodes.size(), 0);
    for (std::size_t o = 0; o < nodes.size(); ++o) {
      for (Index s = 0; s < data.samples(); ++s) {
        size[o] += std::ranges::any_of(
                       data.labels(s),
                       [&](NodeId label) { return label == nodes[o] || taxonomy.is_ancestor(nodes[o], label); })
                       ? 1
                       : 0;
      }
    }
    for (std::size_t o = 0; o < nodes.size(); ++o) {
      double product = 1;
      double count = 0;
      for (std::size_t other = 0; other < nodes.size(); ++other) {
        if (taxonomy.depth(nodes[other]) != taxonomy.depth(nodes[o])) continue;
        product *= size[other];
        count += 1;
      }
      const double factor = std::pow(size[o] / std::pow(product, 1 / count), -0.5);
      for (Index s = 0; s < std::min<Index>(data.samples(), 5); ++s) {
        const double before = slow_outputs(plain, plain.nodes[0].linear, data, s)[o];
        const double after = slow_outputs(scaled, scaled.nodes[0].linear, data, s)[o];
        EXPECT_NEAR(after, factor * (before + 1) - 1, 1e-9 * (1 + std::abs(after))) << k << " node " << nodes[o];
      }
    }
  }
}

TEST(PathSvm, UsesTheFeaturesOfARanking) {
  const Dataset data = random_dataset({.samples = 40, .nodes = 8, .density = 1});
  Context ctx({.threads = 1});
  FeatureRanking ranking;
  ranking.nodes.emplace_back();
  ranking.nodes[0].ranking = {0, 3};
  const TrainOptions options{.classifier = "path-svm", .parameters = {}, .ranking = ranking, .top = 2, .weight = {}};
  const ModelBody model = train_model(data, options, ctx);
  for (const FeatureIndex f : model.nodes[0].linear.features) EXPECT_TRUE(f == 0 || f == 3);
}

}  // namespace
}  // namespace clade
