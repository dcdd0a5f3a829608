#include "select/tuning/tune.h"

#include <clade/error.h>
#include <gmock/gmock.h>

#include "core/random.h"
#include "plain_inverse.h"
#include "select/tuning/reconstruction.h"
#include "select/tuning/stability.h"
#include "select/unsupervised/unsupervised_support.h"

namespace clade {
namespace {

using namespace clade::testing;
using ::testing::HasSubstr;

TEST(Stability, IsOneForEqualSetsAndAboutZeroByChance) {
  EXPECT_DOUBLE_EQ(stability({{1, 2}, {2, 1}, {1, 2}}, 10), 1);
  EXPECT_DOUBLE_EQ(stability({{0, 1, 2}, {0, 1, 2}}, 3), 1);
  // Kuncheva's index, which it is for two sets of one size: (r - k^2 / p) / (k - k^2 / p).
  EXPECT_NEAR(stability({{0, 1, 2, 3}, {2, 3, 4, 5}}, 12), (2 - 16.0 / 12) / (4 - 16.0 / 12), 1e-12);
  RandomStream random(1, {kTestStream});
  std::vector<std::vector<FeatureIndex>> sets(50);
  for (auto& set : sets) {
    std::vector<FeatureIndex> all(100);
    for (FeatureIndex f = 0; f < 100; ++f) all[static_cast<std::size_t>(f)] = f;
    random.shuffle(std::span(all));
    set.assign(all.begin(), all.begin() + 20);
  }
  EXPECT_NEAR(stability(sets, 100), 0, 0.02);
}

TEST(Reconstruction, FeaturesThatTellTheOthersTellNearlyAll) {
  // Features 4 to 11 are sums of 0 to 3.
  const NaiveMatrix own = random_values(80, 4, 1);
  NaiveMatrix x(80, 12);
  x << own, own * random_values(4, 8, 2);
  for (const bool sparse : {false, true}) {
    const Dataset data = dataset_of(x, sparse);
    Context ctx;
    const Reconstruction reconstruction(data, ctx);
    const std::vector<FeatureIndex> roots{0, 1, 2, 3};
    const std::vector<FeatureIndex> one{0};
    EXPECT_GT(reconstruction.share(roots, ctx), 0.99);
    EXPECT_LT(reconstruction.share(one, ctx), 0.7);
    EXPECT_GT(reconstruction.share(one, ctx), 0);
  }
}

TEST(Reconstruction, IsTheRidgeRegressionOfHeldOutSamples) {
  const NaiveMatrix x = clustered_values(31, 9, 3, 5);
  const Dataset data = dataset_of(x);
  Context ctx;
  const std::vector<FeatureIndex> selected{1, 4, 7};
  const double share = Reconstruction(data, ctx).share(selected, ctx);
  // With the same folds, features by features, by the normal equations.
  std::vector<Index> order(31);
  for (Index s = 0; s < 31; ++s) order[static_cast<std::size_t>(s)] = s;
  RandomStream(ctx.seed(), {kTuneStream, 1U << 16U}).shuffle(std::span(order));
  double best = -1e300;
  for (const double ridge : {1e-3, 1e-1, 10.0}) {
    double error = 0;
    double whole = 0;
    for (Index fold = 0; fold < 5; ++fold) {
      std::vector<Index> kept;
      std::vector<Index> held_out;
      for (Index s = 0; s < 31; ++s) (s % 5 == fold ? held_out : kept).push_back(order[static_cast<std::size_t>(s)]);
      const Eigen::RowVectorXd mean = x(kept, Eigen::all).colwise().mean();
      const NaiveMatrix train = x(kept, Eigen::all).rowwise() - mean;
      const NaiveMatrix test = x(held_out, Eigen::all).rowwise() - mean;
      const NaiveMatrix a = train(Eigen::all, selected);
      const double size = a.squaredNorm() / static_cast<double>(kept.size());
      const NaiveMatrix inner = a.transpose() * a + ridge * size * NaiveMatrix::Identity(3, 3);
      const NaiveMatrix weights = plain_inverse(inner) * a.transpose() * train;
      error += (test - test(Eigen::all, selected) * weights).squaredNorm();
      whole += test.squaredNorm();
    }
    best = std::max(best, 1 - error / whole);
  }
  EXPECT_NEAR(share, best, 1e-9);
}

TEST(Tune, TheGridIsReadAndChecked) {
  const auto selector = selector_table().make("ndfs", {});
  const auto grid = [&](const std::string& text, Parameters parameters = {}) {
    return grid_of({.method = "ndfs", .parameters = std::move(parameters), .grid = text}, *selector);
  };
  EXPECT_EQ(grid("alpha=1,2 beta=3"), (Selector::Grid{{"alpha", {"1", "2"}}, {"beta", {"3"}}}));
  EXPECT_EQ(grid("", {{"alpha", 1}}).size(), 1);
  const auto problem = [&](const std::string& text, Parameters parameters = {}) -> std::string {
    try {
      grid(text, std::move(parameters));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(problem("alpha"), HasSubstr("`grid`: 'alpha'"));
  EXPECT_THAT(problem("alpha=-1"), HasSubstr("`alpha`"));
  EXPECT_THAT(problem("lambda=1"), HasSubstr("lambda"));
  EXPECT_THAT(problem("alpha=1", {{"alpha", 2}}), HasSubstr("`alpha` is given and in `grid`"));
  EXPECT_THAT(problem("", {{"alpha", 1}, {"beta", 1}}), HasSubstr("all parameters are given"));
}

}  // namespace
}  // namespace clade
