#include <gmock/gmock.h>

#include "select/unsupervised/hufs_solver.h"
#include "select/unsupervised/unsupervised_support.h"

namespace clade {
namespace {

using namespace clade::testing;

// Levels of groups over 23 features: all, two halves and a bit, threes.
FeatureTree example_tree(Index features) {
  std::vector<FeatureGroup> groups{{"all", kNoNode, {}}, {"odd", 0, {}}, {"even", 0, {}}};
  for (FeatureIndex f = 0; f < features; ++f) {
    if (f == 4) {
      groups[0].features.push_back(f);  // below the root
    } else {
      groups[static_cast<std::size_t>(f % 2 == 1 ? 1 : 2)].features.push_back(f);
    }
  }
  groups.push_back({"odd and small", 1, {1, 3, 5}});
  groups.push_back({"even and large", 2, {18, 22}});
  groups.push_back({"two of the odd", 3, {5, 1}});
  return FeatureTree::build(features, groups);
}

std::vector<std::vector<Index>> feature_sets(const FeatureTree& tree) {
  std::vector<std::vector<Index>> sets;
  for (NodeId node = 0; node < tree.size(); ++node) {
    sets.emplace_back(tree.features_of(node).begin(), tree.features_of(node).end());
  }
  return sets;
}

NaiveMatrix hard_clusters(Index samples, Index clusters) {
  NaiveMatrix u = NaiveMatrix::Zero(samples, clusters);
  for (Index s = 0; s < samples; ++s) u(s, (s * s + s / 3) % clusters) = 1;
  for (Index k = 0; k < clusters; ++k) u.col(k).normalize();
  return u;
}

void expect_orthonormal(const Matrix& u) {
  EXPECT_LE((u * u.transpose() - Matrix::Identity(u.rows(), u.rows())).cwiseAbs().maxCoeff(), 1e-10);
}

class HufsBlocks : public ::testing::TestWithParam<bool> {};

TEST_P(HufsBlocks, EveryBlockIsThatOfTheFormula) {
  const bool sparse = GetParam();
  Context ctx({.threads = 2});
  NaiveMatrix x = clustered_values(75, 23, 3, 4);
  if (sparse) x = (x.array() > 1.5).select(x, 0);
  const Dataset data = dataset_of(x, sparse);
  const FeatureTree tree = example_tree(23);
  const NaiveMatrix start = hard_clusters(75, 3);
  NaiveHufs expected(x, feature_sets(tree), start);
  HufsSettings settings;
  settings.alpha = expected.alpha = 0.02;
  settings.beta = expected.beta = 0.03;
  HufsSolver solver(data, FeatureGroups(tree), start.transpose(), settings, ctx);
  for (int t = 0; t < 150; ++t) {
    expected.update_e();
    solver.update_error();
    // Relative to X: E is 0 at first.
    EXPECT_LE((solver.error().transpose() - expected.e).cwiseAbs().maxCoeff(), 1e-9 * x.maxCoeff()) << "E";
    expected.update_v();
    solver.update_features();
    expect_near(solver.features(), expected.v, 1e-8, "V");
    expected.update_u();
    solver.update_clusters();
    expect_near(solver.clusters().transpose(), expected.u, 1e-8, "U");
    expect_orthonormal(solver.clusters());
    expected.update_p();
    solver.update_groups();
    expect_near(solver.group_copies(), expected.p, 1e-8, "P");
    expected.update_z();
    solver.update_signs();
    expect_near(solver.signs().transpose(), expected.z, 1e-8, "Z");
    expected.update_multipliers();
    solver.update_multipliers();
    expect_near(solver.sign_multiplier().transpose(), expected.y1, 1e-8, "Y1");
    expect_near(solver.fit_multiplier().transpose(), expected.y2, 1e-8, "Y2");
    expect_near(solver.group_multiplier(), expected.y3, 1e-8, "Y3");
    EXPECT_DOUBLE_EQ(solver.mu(), expected.mu);
    if (HasFailure()) FAIL() << "iteration " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, HufsBlocks, ::testing::Bool());

TEST(Hufs, ObjectiveResidualsAndScoresAreThoseOfTheFormula) {
  Context ctx;
  const NaiveMatrix x = clustered_values(75, 23, 3, 4);
  const Dataset data = dataset_of(x);
  const FeatureTree tree = example_tree(23);
  const NaiveMatrix start = hard_clusters(75, 3);
  NaiveHufs expected(x, feature_sets(tree), start);
  HufsSettings settings;
  settings.iterations = 60;
  HufsSolver solver(data, FeatureGroups(tree), start.transpose(), settings, ctx);
  solver.run();
  ASSERT_EQ(solver.objectives().size(), 60);
  for (std::size_t t = 0; t < 60; ++t) {
    expected.update_e();
    expected.update_v();
    expected.update_u();
    expected.update_p();
    expected.update_z();
    const NaiveMatrix copies = expected.m * expected.v;
    const double fit = (x - expected.u * expected.v.transpose() - expected.e).norm() / x.norm();
    const double sign = (expected.z - expected.u).norm() / std::sqrt(3.0);
    const double size = std::max(copies.norm(), expected.p.norm());
    EXPECT_NEAR(solver.objectives()[t], expected.objective(), 1e-9 * expected.objective());
    EXPECT_NEAR(solver.residuals()[t].fit, fit, 1e-8 * fit + 1e-12);
    EXPECT_NEAR(solver.residuals()[t].sign, sign, 1e-8 * sign + 1e-12);
    const double groups = size > 0 ? (copies - expected.p).norm() / size : 0;
    EXPECT_NEAR(solver.residuals()[t].groups, groups, 1e-8 * groups + 1e-12);
    expected.update_multipliers();
  }
  for (Index f = 0; f < 23; ++f) {
    const double score = expected.v.row(f).norm();
    EXPECT_NEAR(solver.features().row(f).norm(), score, 1e-8 * score);
  }
}

NaiveMatrix naive_plain_laplacian(const NaiveMatrix& s) {
  return NaiveMatrix(s.rowwise().sum().asDiagonal()) - s;
}

TEST(Eufs, TheGraphIsThatOfTheFormulaAndNoUpdateRaisesTheLagrangian) {
  Context ctx;
  const NaiveMatrix x = clustered_values(60, 23, 3, 4);
  const Dataset data = dataset_of(x);
  const NaiveMatrix start = hard_clusters(60, 3);
  std::vector<std::string> notes;
  GraphOptions options;
  const NeighbourGraph graph = neighbour_graph(data, options, 0, notes, ctx);
  NaiveHufs expected(x, {}, start);
  expected.laplacian = naive_plain_laplacian(naive_graph(x, 5));
  HufsSettings settings;
  settings.alpha = 0;
  settings.nu = expected.nu = 0.7;
  settings.iterations = 80;
  HufsSolver solver(data, {}, start.transpose(), settings, ctx, &graph);
  solver.run();
  for (std::size_t t = 0; t < 80; ++t) {
    expected.update_e();
    double before = expected.lagrangian();
    const auto expect_no_rise = [&](const char* update) {
      const double now = expected.lagrangian();
      EXPECT_LE(now, before + 1e-9 * std::abs(before)) << update << " in iteration " << t;
      before = now;
    };
    expected.update_v();
    expect_no_rise("V");
    expected.update_u();
    expect_no_rise("U");
    expected.update_p();
    expected.update_z();
    expect_no_rise("Z");
    EXPECT_NEAR(solver.objectives()[t], expected.objective(), 1e-7 * expected.objective()) << t;
    expected.update_multipliers();
  }
  expect_near(solver.features(), expected.v, 1e-6, "V");
  HufsSolver without(data, {}, start.transpose(), {.alpha = 0, .iterations = 80}, ctx);
  without.run();
  EXPECT_GT((without.features() - solver.features()).norm(), 1e-3 * solver.features().norm());
}

TEST(Hufs, ResidualsFallUntilTheToleranceIsReached) {
  Context ctx;
  // Every cluster has features of its own, so that there is a U >= 0 that fits.
  NaiveMatrix x = 0.1 * random_values(75, 23, 4).cwiseAbs();
  NaiveMatrix start = NaiveMatrix::Zero(75, 3);
  for (Index s = 0; s < 75; ++s) {
    for (Index f = s % 3; f < 23; f += 3) x(s, f) += 2;
    start(s, s % 3) = 1;
  }
  start /= 5;
  x *= 0.1;  // where ||V|| is not far above 1, the signs of U settle as fast as the fit
  const Dataset data = dataset_of(x);
  HufsSettings settings;
  settings.iterations = 1000;
  HufsSolver solver(data, FeatureGroups(example_tree(23)), start.transpose(), settings, ctx);
  solver.run();
  EXPECT_TRUE(solver.has_converged());
  const auto& residuals = solver.residuals();
  for (const auto part : {&HufsResiduals::fit, &HufsResiduals::sign, &HufsResiduals::groups}) {
    EXPECT_LT(residuals.back().*part, 1e-4);
    // Over twenty iterations, once the weight of the constraints has grown; between them they may rise.
    for (std::size_t t = 130; t < residuals.size(); ++t) EXPECT_LT(residuals[t].*part, residuals[t - 20].*part) << t;
  }
}

TEST(Hufs, WithoutAlphaIsEufs) {
  Context ctx;
  const Dataset data = dataset_of(clustered_values(50, 23, 3, 4));
  HufsSettings settings;
  settings.alpha = 0;
  HufsSolver hufs(data, FeatureGroups(example_tree(23)), hard_clusters(50, 3).transpose(), settings, ctx);
  HufsSolver eufs(data, {}, hard_clusters(50, 3).transpose(), settings, ctx);
  hufs.run();
  eufs.run();
  EXPECT_EQ(hufs.features(), eufs.features());
  EXPECT_EQ(hufs.objectives(), eufs.objectives());
  EXPECT_EQ(weights_of(select_without_labels("hufs", data, {{"alpha", "0"}})),
            weights_of(select_without_labels("eufs", data)));
}

TEST(Hufs, PermutedFeaturesGetTheSameWeights) {
  Context ctx;
  const NaiveMatrix x = clustered_values(50, 23, 3, 4);
  NaiveMatrix permuted(50, 23);
  FeatureGroups groups(example_tree(23));
  FeatureGroups other = groups;
  for (Index f = 0; f < 23; ++f) permuted.col(f * 5 % 23) = x.col(f);
  for (FeatureIndex& f : other.order) f = static_cast<FeatureIndex>(f * 5 % 23);
  HufsSettings settings;
  settings.iterations = 80;
  const Dataset data = dataset_of(x);
  const Dataset permuted_data = dataset_of(permuted);
  HufsSolver plain(data, groups, hard_clusters(50, 3).transpose(), settings, ctx);
  HufsSolver moved(permuted_data, other, hard_clusters(50, 3).transpose(), settings, ctx);
  plain.run();
  moved.run();
  for (Index f = 0; f < 23; ++f) expect_near(moved.features().row(f * 5 % 23), plain.features().row(f), 1e-8);
}

TEST(Hufs, ThreadsChangeNothing) {
  const Dataset data = dataset_of(clustered_values(700, 23, 3, 4));
  HufsSettings settings;
  settings.iterations = 50;
  std::vector<Matrix> found;
  for (const int threads : {1, 2, 5}) {
    Context ctx({.threads = threads});
    HufsSolver solver(data, FeatureGroups(example_tree(23)), hard_clusters(700, 3).transpose(), settings, ctx);
    solver.run();
    found.push_back(solver.features());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Hufs, ClustersStayOrthonormalWhereNothingIsLeftToFit) {
  Context ctx;
  // Rank 1: two of three clusters have nothing of their own.
  const NaiveMatrix x = random_values(30, 1, 3).cwiseAbs() * random_values(1, 12, 4).cwiseAbs();
  const Dataset data = dataset_of(x);
  HufsSettings settings;
  settings.beta = 10;
  HufsSolver solver(data, {}, hard_clusters(30, 3).transpose(), settings, ctx);
  for (int t = 0; t < 100; ++t) {
    solver.update_error();
    solver.update_features();
    solver.update_clusters();
    solver.update_groups();
    solver.update_signs();
    solver.update_multipliers();
    expect_orthonormal(solver.clusters());
    ASSERT_TRUE(solver.features().allFinite());
  }
}

}  // namespace
}  // namespace clade
