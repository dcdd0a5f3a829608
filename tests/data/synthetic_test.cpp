#include <clade/synthetic.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

Dataset generated(const SyntheticOptions& options, std::uint64_t seed, int threads) {
  Context ctx(Context::Options{.threads = threads, .seed = seed});
  return synthetic_data(options, ctx);
}

TEST(Synthetic, HasTheShapeAskedFor) {
  const Dataset data = generated({.depth = 3, .fanout = 3, .features = 20, .samples = 200}, 1, 2);
  EXPECT_EQ(data.samples(), 200);
  EXPECT_EQ(data.features(), 20);
  EXPECT_EQ(data.taxonomy().size(), 1 + 3 + 9 + 27);
  EXPECT_EQ(data.taxonomy().leaves().size(), 27U);
  EXPECT_EQ(data.taxonomy().levels(), 4);
  for (NodeId node = 0; node < data.taxonomy().size(); ++node) {
    EXPECT_EQ(data.taxonomy().children(node).size(), data.taxonomy().is_leaf(node) ? 0U : 3U);
  }
}

TEST(Synthetic, EverySampleHasAtLeastOneLabelAndFewerThanTheRoot) {
  const Dataset data = generated({.depth = 2, .fanout = 4, .samples = 500}, 2, 2);
  for (Index s = 0; s < data.samples(); ++s) {
    EXPECT_GE(data.labels(s).size(), 1U);
    EXPECT_LT(static_cast<double>(data.labels(s).size()), std::sqrt(16.0));
  }
  const Dataset single = generated({.depth = 2, .fanout = 4, .samples = 100, .single_label = true}, 2, 2);
  for (Index s = 0; s < single.samples(); ++s) EXPECT_EQ(single.labels(s).size(), 1U);
}

TEST(Synthetic, DoesNotDependOnThreadsAndASampleNotOnTheOthers) {
  const SyntheticOptions options{.samples = 100};
  const Dataset one = generated(options, 3, 1);
  EXPECT_EQ(difference(one, generated(options, 3, 3)), std::nullopt);
  EXPECT_NE(difference(one, generated(options, 4, 1)), std::nullopt);
  const Dataset longer = generated({.samples = 150}, 3, 2);
  std::vector<Index> first(100);
  for (Index k = 0; k < 100; ++k) first[static_cast<std::size_t>(k)] = k;
  EXPECT_EQ(difference(one, longer.subset(first)), std::nullopt);
}

// Siblings share most of their weights, so they must share labels more often than distant classes.
TEST(Synthetic, NearbyClassesOccurTogether) {
  const Dataset data = generated({.depth = 2, .fanout = 3, .features = 50, .samples = 5000, .decay = 0.3}, 5, 2);
  const Taxonomy& taxonomy = data.taxonomy();
  double siblings = 0;
  double distant = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    for (std::size_t a = 0; a < labels.size(); ++a) {
      for (std::size_t b = a + 1; b < labels.size(); ++b) {
        (taxonomy.parents(labels[a])[0] == taxonomy.parents(labels[b])[0] ? siblings : distant) += 1;
      }
    }
  }
  // 9 pairs of siblings against 27 distant pairs.
  EXPECT_GT(siblings / 9, 2 * distant / 27);
}

using Vectors = std::vector<std::vector<double>>;

// Sums of normal vectors along the paths of a perfect tree, by recursion.
void add_leaves(const SyntheticOptions& o, int depth, const std::vector<double>& above, RandomStream& random,
                Vectors& leaves) {
  if (depth > o.depth) return leaves.push_back(above);
  for (int k = 0; k < o.fanout; ++k) {
    std::vector<double> own = above;
    for (double& w : own) w += std::sqrt(std::pow(o.decay, depth - 1)) * random.normal();
    add_leaves(o, depth + 1, own, random, leaves);
  }
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(Synthetic, TheShareOfSamplesWithOneLabelIsWhatDrawingGives) {
  // Independent signs: one of k is positive with probability k / 2^k.
  EXPECT_NEAR(single_label_share({.depth = 1, .fanout = 10}), 10 / 1024.0, 1e-9);
  EXPECT_EQ(single_label_share({.depth = 2, .fanout = 3, .decay = 0}), 0) << "siblings are the same";
  for (const SyntheticOptions& options : {SyntheticOptions{.depth = 2, .fanout = 3, .features = 3, .decay = 0.5},
                                          SyntheticOptions{.depth = 3, .fanout = 2, .features = 3, .decay = 1},
                                          SyntheticOptions{.depth = 4, .fanout = 2, .features = 3, .decay = 0.1}}) {
    RandomStream random(9);
    double found = 0;
    constexpr int kDraws = 40'000;
    for (int draw = 0; draw < kDraws; ++draw) {
      Vectors leaves;
      add_leaves(options, 1, {0, 0, 0}, random, leaves);
      const std::vector<double> x{random.normal(), random.normal(), random.normal()};
      found += std::ranges::count_if(leaves, [&](const auto& w) { return product(w, x) > 0; }) == 1 ? 1 : 0;
    }
    const double share = single_label_share(options);
    EXPECT_NEAR(found / kDraws, share, 4 * std::sqrt(share / kDraws) + 0.02 * share);
  }
}

TEST(Synthetic, OneLabelOfTenThousandClasses) {
  const SyntheticOptions options{.depth = 4, .fanout = 10, .samples = 300, .single_label = true};
  const Dataset one = generated(options, 3, 1);
  EXPECT_EQ(one.taxonomy().leaves().size(), 10'000U);
  for (const int threads : {2, 3}) EXPECT_EQ(difference(one, generated(options, 3, threads)), std::nullopt);
  SyntheticOptions longer = options;
  longer.samples = 333;
  std::vector<Index> first(300);
  std::iota(first.begin(), first.end(), 0);
  EXPECT_EQ(difference(one, generated(longer, 3, 2).subset(first)), std::nullopt);
  // Siblings are alike, so samples are nearer to those of the class's top node than to others.
  std::vector<double> same;
  std::vector<double> other;
  const auto& matrix = std::get<DenseMatrix<double>>(one.matrix());
  for (Index a = 0; a < 300; ++a) {
    ASSERT_EQ(one.labels(a).size(), 1U);
    for (Index b = 0; b < a; ++b) {
      const bool alike = one.taxonomy().name(one.labels(a)[0])[0] == one.taxonomy().name(one.labels(b)[0])[0];
      (alike ? same : other).push_back(product(matrix.row(a), matrix.row(b)));
    }
  }
  const auto mean = [](const std::vector<double>& v) {
    return std::reduce(v.begin(), v.end()) / static_cast<double>(v.size());
  };
  EXPECT_GT(mean(same), mean(other) + 1) << "a product of two independent samples has mean 0 and deviation sqrt(20)";
}

// The weights are drawn node by node, level by level, from the first stream: with them the label can be found anew.
TEST(Synthetic, TheLabelIsTheClassWithTheLargestCosine) {
  // The first has samples with exactly one positive class, the second too few of them, the third none: with one feature
  // every sample has the sign of some of the 27 weights.
  for (const SyntheticOptions& options :
       {SyntheticOptions{.depth = 2, .fanout = 3, .samples = 100, .single_label = true},
        SyntheticOptions{.depth = 1, .fanout = 600, .samples = 100, .single_label = true},
        SyntheticOptions{.depth = 3, .fanout = 3, .features = 1, .samples = 5, .single_label = true}}) {
    const std::uint64_t seed = 2;
    const Dataset data = generated(options, seed, 2);
    const Taxonomy& tree = data.taxonomy();
    RandomStream random(seed, {kSynthStream, 0});
    Vectors weights(static_cast<std::size_t>(tree.size()),
                    std::vector<double>(static_cast<std::size_t>(options.features)));
    for (NodeId node = 1; node < tree.size(); ++node) {
      for (std::size_t j = 0; j < weights[0].size(); ++j) {
        weights[static_cast<std::size_t>(node)][j] =
            weights[static_cast<std::size_t>(tree.parents(node)[0])][j] +
            std::sqrt(std::pow(options.decay, tree.depth(node) - 1)) * random.normal();
      }
    }
    const bool keeps_some = single_label_share(options) >= 1e-4 && options.features > 1;
    for (Index s = 0; s < data.samples(); ++s) {
      const auto x = std::get<DenseMatrix<double>>(data.matrix()).row(s);
      const auto cosine = [&](NodeId y) {
        const auto& w = weights[static_cast<std::size_t>(y)];
        return product(w, x) / std::sqrt(product(w, w));
      };
      Index positive = 0;
      for (const NodeId y : tree.leaves()) {
        positive += cosine(y) > 0 ? 1 : 0;
        EXPECT_LE(cosine(y), cosine(data.labels(s)[0]) + 1e-12);
      }
      if (keeps_some) {
        EXPECT_EQ(positive, 1);
      }
    }
  }
}

TEST(Synthetic, ImpossibleShapesAreRefused) {
  EXPECT_THROW(generated({.depth = 30, .fanout = 10}, 1, 1), Error);
  EXPECT_THROW(generated({.depth = 1, .fanout = 1}, 1, 1), Error);
  EXPECT_THROW(generated({.features = 1'000'000'000, .samples = 1'000'000'000}, 1, 1), Error);
  // Two classes: fewer than sqrt(2) labels means one; with weights of one level that is possible.
  EXPECT_NO_THROW(generated({.depth = 1, .fanout = 2, .samples = 10}, 1, 1));
}

}  // namespace
}  // namespace clade
