#include "classify/local/level_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/random.h"

namespace clade {
namespace {

constexpr double kLearnt = std::numeric_limits<double>::quiet_NaN();
constexpr int kGroups = 3;
constexpr int kLeaves = 4;

// Samples of groups of leaves, in turn; features do not matter.
Dataset labelled_data(Index samples) {
  TaxonomyBuilder builder;
  for (int g = 0; g < kGroups; ++g) {
    for (int l = 0; l < kLeaves; ++l) {
      builder.path("g" + std::to_string(g) + "/l" + std::to_string(l), "/");
    }
  }
  builder.imply_root();
  const Taxonomy taxonomy = builder.build();
  Dataset::Parts parts;
  for (Index s = 0; s < samples; ++s) {
    const Index c = s % (kGroups * kLeaves);
    parts.labels.nodes.push_back(
        *taxonomy.find("g" + std::to_string(c / kLeaves) + "/l" + std::to_string(c % kLeaves)));
    parts.labels.offsets.push_back(s + 1);
  }
  DenseMatrix<double> matrix{samples, 1, Buffer<double>(samples)};
  std::fill_n(&matrix.values[0], samples, 0.0);
  parts.features = std::move(matrix);
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// All nodes but the root, leaf k being 2^k times as large as the first.
struct Nodes {
  std::vector<NodeId> ids;
  std::vector<std::size_t> level;
  std::vector<double> samples;

  explicit Nodes(const Taxonomy& taxonomy) {
    double size = 1;
    for (NodeId node = 1; node < taxonomy.size(); ++node) {
      ids.push_back(node);
      level.push_back(static_cast<std::size_t>(taxonomy.depth(node)) - 1);
      samples.push_back(taxonomy.is_leaf(node) ? size *= 2 : 1000);
    }
  }
};

// decide(sample, output, does the sample belong to it?) for all outputs.
template <class Decide>
PathWeights learnt(Index samples, double power, Decide&& decide, int threads = 1) {
  const Dataset data = labelled_data(samples);
  const Taxonomy& taxonomy = data.taxonomy();
  const Nodes nodes(taxonomy);
  HeldOutScores scores(samples, 1, nodes.level, 1);
  EXPECT_EQ(std::ssize(scores.samples()), samples);
  for (std::size_t o = 0; o < nodes.ids.size(); ++o) {
    std::vector<double> held_out;
    for (const Index s : scores.samples()) {
      const NodeId label = data.labels(s)[0];
      held_out.push_back(decide(nodes, o, nodes.ids[o] == label || taxonomy.is_ancestor(nodes.ids[o], label)));
    }
    scores.set(static_cast<Index>(o), held_out);
  }
  scores.finish();
  Context ctx({.threads = threads});
  return learn_path_weights(scores, nodes.ids, nodes.level, nodes.samples, power, data, ctx);
}

// Decisions of leaves leave -1 the farther the larger the leaf, by a power of its size.
auto by_size(double power, RandomStream& random) {
  return [power, &random](const Nodes& nodes, std::size_t o, bool is_positive) {
    if (nodes.level[o] == 0) return random.normal();
    return std::pow(nodes.samples[o] / 64, power) * (is_positive ? 1.0 : 0.9 * random.uniform()) - 1;
  };
}

TEST(PathWeights, PowerMakesUpForTheSizes) {
  for (const double power : {0.0, 0.2, 0.4, 0.6}) {
    RandomStream random(1, {kTestStream, 76});
    const PathWeights found = learnt(600, kLearnt, by_size(power, random));
    EXPECT_NEAR(found.power, -power, 0.101) << power;
    EXPECT_EQ(found.levels[1], 1) << power;
    EXPECT_LT(found.levels[0], 0.2) << power;  // noise
  }
}

TEST(PathWeights, PowerCanBeGiven) {
  RandomStream random(2, {kTestStream, 76});
  EXPECT_EQ(learnt(600, 0.0, by_size(0.4, random)).power, 0);
  EXPECT_EQ(learnt(600, -0.3, by_size(0.4, random)).power, -0.3);
}

TEST(PathWeights, FewSamplesHaveNoPower) {
  RandomStream random(3, {kTestStream, 76});
  const auto noise = [&](const Nodes&, std::size_t, bool) { return random.normal(); };
  for (int k = 0; k < 20; ++k) EXPECT_EQ(learnt(12, kLearnt, noise).power, 0) << k;
}

TEST(PathWeights, LevelThatTellsMoreWeighsMore) {
  RandomStream random(4, {kTestStream, 76});
  const auto decide = [&](double first, double second) {
    return [&random, first, second](const Nodes& nodes, std::size_t o, bool is_positive) {
      return (is_positive ? 1 : -1) + (nodes.level[o] == 0 ? first : second) * random.normal();
    };
  };
  const PathWeights leaves = learnt(1200, 0, decide(20, 0.5));
  EXPECT_LE(leaves.levels[0], 0.1);
  EXPECT_EQ(leaves.levels[1], 1);
  const PathWeights groups = learnt(1200, 0, decide(0.3, 2));
  EXPECT_EQ(groups.levels[0], 1);
  EXPECT_GT(groups.levels[1], 0);
}

TEST(PathWeights, SameForAnyNumberOfThreads) {
  std::vector<PathWeights> found;
  for (const int threads : {1, 2, 3}) {
    RandomStream random(5, {kTestStream, 76});
    found.push_back(learnt(900, kLearnt, by_size(0.3, random), threads));
    EXPECT_EQ(found.back().levels, found[0].levels);
    EXPECT_EQ(found.back().power, found[0].power);
  }
}

TEST(SizeFactors, ArePowersRelativeToTheMeanOfTheLevel) {
  const std::vector<std::size_t> level{0, 0, 1, 1, 1};
  const std::vector<double> samples{1, 4, 10, 10, 10};
  EXPECT_EQ(size_factors(level, samples, 0), std::vector<double>(5, 1));
  const std::vector<double> factors = size_factors(level, samples, 1);
  EXPECT_NEAR(factors[0], 0.5, 1e-12);
  EXPECT_NEAR(factors[1], 2, 1e-12);
  for (const std::size_t o : {2U, 3U, 4U}) EXPECT_NEAR(factors[o], 1, 1e-12);
}

}  // namespace
}  // namespace clade
