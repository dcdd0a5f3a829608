#include <gmock/gmock.h>

#include "plain_inverse.h"
#include "select/ranking.h"
#include "select/unsupervised/ndfs.h"
#include "select/unsupervised/rufs.h"
#include "select/unsupervised/unsupervised_selector.h"
#include "select/unsupervised/unsupervised_support.h"
#include "select/weighted_regression.h"

namespace clade {
namespace {

using namespace clade::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Shape {
  Index samples;
  Index features;
};
constexpr Shape kShapes[] = {{60, 14}, {25, 70}};

NeighbourGraph graph_of(const Dataset& data, Context& ctx) {
  return link_neighbours(nearest_neighbours(data, 5, ctx), std::numeric_limits<double>::quiet_NaN());
}

TEST(Laplacian, ScoresAreThoseOfTheFormula) {
  for (const auto [samples, features] : kShapes) {
    for (const bool sparse : {false, true}) {
      NaiveMatrix x = clustered_values(samples, features, 3, 1);
      if (sparse) x = (x.array() > 1.5).select(x, 0);
      const NaiveVector expected = naive_laplacian_scores(x, naive_graph(x, 5));
      const NaiveVector found = weights_of(select_without_labels("laplacian", dataset_of(x, sparse)));
      for (Index f = 0; f < features; ++f) EXPECT_NEAR(2 - found[f], expected[f], 1e-8 * expected[f]);
    }
  }
}

TEST(Laplacian, SmallScoresAreToldApart) {
  // Two far groups, whose neighbours agree to 1e-12 and to 1e-10 of their difference: 2 - score is 2 for both.
  NaiveMatrix x(20, 2);
  for (Index s = 0; s < 20; ++s) {
    x(s, 0) = (s < 10 ? 0 : 1) + 1e-10 * static_cast<double>(s % 10);
    x(s, 1) = (s < 10 ? 0 : 1) + 1e-12 * static_cast<double>(s % 10);
  }
  EXPECT_THAT(select_without_labels("laplacian", dataset_of(x)).nodes[0].ranking, ElementsAre(1, 0));
}

TEST(Laplacian, ValuesWhoseSquaresVanishAreCalledSmall) {
  const NaiveMatrix x = random_values(30, 4, 1);
  NaiveMatrix one_column = x;
  one_column.col(2) *= 1e-300;
  for (const NaiveMatrix& tiny : {NaiveMatrix(1e-300 * x), one_column}) {
    try {
      select_without_labels("laplacian", dataset_of(tiny));
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("too small to compute with"));
    }
  }
}

TEST(WeightedRegression, RaisesTheRidgeOnlyWhereRoundingAsksForIt) {
  Context ctx;
  for (const auto [samples, features] : kShapes) {
    const Dataset data = dataset_of(1e9 * NaiveMatrix::Ones(samples, features));  // rank 1
    const NodeTable table = whole_table(data);
    const NodeMatrix matrix(data, table);
    const NaiveVector e = NaiveVector::Ones(samples);
    const NaiveVector c = NaiveVector::Ones(features);
    WeightedRegression tight(matrix, 1e-9, WeightedRegression::Gram::kMadeAnew);
    EXPECT_FALSE(tight.factor(e, c, ctx));
    EXPECT_TRUE(tight.factor_with_larger_ridge(e, c, ctx));
    EXPECT_GT(tight.ridge(), 1e-9);
    WeightedRegression loose(matrix, 1e18, WeightedRegression::Gram::kMadeAnew);
    EXPECT_TRUE(loose.factor_with_larger_ridge(e, c, ctx));
    EXPECT_EQ(loose.ridge(), 1e18);
  }
}

TEST(WeightedRegression, IsTheMinimumOnBothSides) {
  Context ctx;
  for (const auto [samples, features] : kShapes) {
    const NaiveMatrix x = random_values(samples, features, 3);
    const NaiveMatrix y = random_values(samples, 4, 5);
    const NaiveVector e = random_values(samples, 1, 6).cwiseAbs();
    NaiveVector c = random_values(features, 1, 7).cwiseAbs();
    c[2] = 0;
    const Dataset data = dataset_of(x);
    const NodeTable table = whole_table(data);
    const NodeMatrix matrix(data, table);
    for (const auto gram : {WeightedRegression::Gram::kMadeAnew, WeightedRegression::Gram::kKept}) {
      WeightedRegression regression(matrix, 0.3, gram);
      ASSERT_TRUE(regression.factor(e, 2 * c, ctx));
      ASSERT_TRUE(regression.factor(e, c, ctx));
      const auto solution = regression.solve(y.transpose(), ctx);
      const NaiveMatrix w = plain_inverse(c.asDiagonal() * x.transpose() * e.asDiagonal() * x +
                                          0.3 * NaiveMatrix::Identity(features, features)) *
                            c.asDiagonal() * x.transpose() * e.asDiagonal() * y;
      expect_near(solution.weights.transpose(), w, 1e-10);
      expect_near(solution.fitted.transpose(), x * w, 1e-10);
      expect_near(solution.residual.transpose(), x * w - y, 1e-10);
    }
  }
}

TEST(Ndfs, IsThatOfTheFormula) {
  Context ctx;
  for (const auto [samples, features] : kShapes) {
    for (const double gamma : {1e8, 1e4}) {
      const NaiveMatrix x = clustered_values(samples, features, 3, 2);
      const NaiveMatrix start = soft_clusters(samples, 3);
      const NaiveNdfs expected = naive_ndfs(x, naive_graph(x, 5), start, 0.7, 1.3, gamma, 8);
      const Dataset data = dataset_of(x);
      const NodeTable table = whole_table(data);
      NdfsOptions options;
      options.alpha = 0.7;
      options.beta = 1.3;
      options.gamma = gamma;
      options.iterations = 8;
      options.tolerance = 0;
      const NdfsResult found =
          solve_ndfs(NodeMatrix(data, table), graph_of(data, ctx), start.transpose(), options, ctx);
      expect_near(found.clusters.transpose(), expected.f, 1e-8, "F");
      const NaiveVector norms = expected.w.rowwise().norm();
      for (Index f = 0; f < features; ++f) {
        EXPECT_NEAR(found.weights.col(f).norm(), norms[f], 1e-8 * std::max(norms[f], 1e-6 * norms.maxCoeff()));
      }
      ASSERT_EQ(found.objective.size(), expected.objective.size());
      for (std::size_t t = 0; t < 8; ++t) {
        // With gamma = 1e8 the orthogonality is what is left of a difference.
        EXPECT_NEAR(found.objective[t], expected.objective[t], 1e-6 * expected.objective[t]);
      }
    }
  }
}

TEST(Ndfs, DivergenceNamesGamma) {
  Context ctx;
  const NaiveMatrix x = clustered_values(40, 6, 3, 2);
  const Dataset data = dataset_of(x);
  const NodeTable table = whole_table(data);
  NdfsOptions options;
  options.gamma = 1e-9;
  try {
    solve_ndfs(NodeMatrix(data, table), graph_of(data, ctx), soft_clusters(40, 3).transpose(), options, ctx);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a larger `gamma`"));
  }
}

TEST(Rufs, IsThatOfTheFormulaAndNeverRises) {
  Context ctx;
  for (const auto [samples, features] : kShapes) {
    for (const bool negative : {false, true}) {
      NaiveMatrix x = clustered_values(samples, features, 3, 2);
      if (negative) x.array() -= 1.5;
      const NaiveMatrix start = soft_clusters(samples, 3);
      // Large where features could fit the clusters without a rest, of whose rounding the weights of samples are made.
      const double beta = features > samples ? 6 : 0.4;
      const NaiveRufs expected = naive_rufs(x, naive_graph(x, 5), start, 0.7, beta, 1.1, 20, 8);
      const Dataset data = dataset_of(x);
      const NodeTable table = whole_table(data);
      RufsOptions options;
      options.alpha = 0.7;
      options.beta = beta;
      options.nu = 1.1;
      options.gamma = 20;
      options.iterations = 8;
      options.tolerance = 0;
      const NaiveVector squares = x.rowwise().squaredNorm();
      const RufsResult found =
          solve_rufs(NodeMatrix(data, table), squares, graph_of(data, ctx), start.transpose(), options, ctx);
      expect_near(found.clusters.transpose(), expected.g, 1e-8, "G");
      expect_near(found.centres, expected.f, 1e-8, "F");
      const NaiveVector norms = expected.w.rowwise().norm();
      for (Index f = 0; f < features; ++f) {
        EXPECT_NEAR(found.weights.col(f).norm(), norms[f], 1e-8 * std::max(norms[f], 1e-6 * norms.maxCoeff()));
      }
      for (std::size_t t = 0; t < 8; ++t) {
        EXPECT_NEAR(found.objective[t], expected.objective[t], 1e-9 * expected.objective[t]);
        EXPECT_LE(found.objective[t], found.objective[t > 0 ? t - 1 : 0] * (1 + 1e-12));
      }
    }
  }
}

constexpr const char* kMethods[] = {"laplacian", "mcfs", "ndfs", "rufs", "eufs"};

TEST(Unsupervised, PermutedFeaturesGetTheSameWeights) {
  const NaiveMatrix x = clustered_values(50, 30, 3, 8);
  NaiveMatrix permuted(50, 30);
  for (Index f = 0; f < 30; ++f) permuted.col(f * 7 % 30) = x.col(f);
  for (const char* method : kMethods) {
    const NaiveVector plain = weights_of(select_without_labels(method, dataset_of(x)));
    const NaiveVector other = weights_of(select_without_labels(method, dataset_of(permuted)));
    for (Index f = 0; f < 30; ++f) EXPECT_NEAR(other[f * 7 % 30], plain[f], 1e-7 * plain.maxCoeff()) << method;
  }
}

TEST(Unsupervised, ThreadsChangeNothing) {
  const Dataset data = dataset_of(clustered_values(600, 40, 3, 8));
  for (const char* method : kMethods) {
    const FeatureRanking one = select_without_labels(method, data, {}, 1);
    const FeatureRanking three = select_without_labels(method, data, {}, 3);
    EXPECT_EQ(one.nodes[0].weight, three.nodes[0].weight) << method;
    EXPECT_EQ(one.nodes[0].ranking, three.nodes[0].ranking) << method;
    EXPECT_EQ(one.objective, three.objective) << method;
  }
}

TEST(Unsupervised, SparseStorageChangesNothingButRounding) {
  NaiveMatrix x = clustered_values(60, 30, 3, 8);
  x = (x.array() > 2.5).select(x, 0);
  for (const char* method : kMethods) {
    expect_near(weights_of(select_without_labels(method, dataset_of(x, true))),
                weights_of(select_without_labels(method, dataset_of(x))), 1e-7, method);
  }
}

TEST(Unsupervised, ConstantFeaturesComeLastAndAreCounted) {
  NaiveMatrix x = clustered_values(40, 6, 3, 8);
  x.col(0).setConstant(3);
  x.col(3).setZero();
  for (const char* method : kMethods) {
    for (const bool sparse : {false, true}) {
      const FeatureRanking ranking = select_without_labels(method, dataset_of(x, sparse));
      const NodeRanking& node = ranking.nodes[0];
      EXPECT_THAT(std::vector(node.ranking.end() - 2, node.ranking.end()), ElementsAre(0, 3)) << method;
      EXPECT_EQ(node.weight.back(), 0) << method;
      EXPECT_THAT(ranking.notes, ::testing::Contains("2 constant features come last, with weight 0")) << method;
    }
    EXPECT_THROW(select_without_labels(method, dataset_of(NaiveMatrix::Ones(8, 3))), Error) << method;
  }
}

TEST(Unsupervised, TwoDifferentSamplesAreEnough) {
  NaiveMatrix x(6, 2);
  x << 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0;
  for (const char* method : kMethods) {
    const FeatureRanking ranking = select_without_labels(
        method, dataset_of(x), {{std::string(method) == "laplacian" ? "neighbours" : "clusters", "3"}});
    EXPECT_TRUE(weights_of(ranking).allFinite()) << method;
  }
}

TEST(Unsupervised, MoreClustersThanSamplesAreRefused) {
  for (const char* method : {"mcfs", "ndfs", "rufs", "eufs"}) {
    try {
      select_without_labels(method, dataset_of(random_values(6, 3, 1)), {{"clusters", "7"}});
      FAIL() << method;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("`clusters`: 7 clusters of 6 samples")) << method;
    }
  }
}

}  // namespace
}  // namespace clade
