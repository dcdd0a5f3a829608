#include "classify/nodes/landmark_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "classify/nodes/kernel_arrays.h"
#include "comm/local_team.h"
#include "core/random.h"
#include "data/random_data.h"
#include "plain_inverse.h"

namespace clade {
namespace {

using testing::plain_inverse;

struct LandmarkCase {
  explicit LandmarkCase(bool has_weights) {
    RandomDataOptions options;
    options.samples = 40;
    options.features = 4;
    options.nodes = 9;
    options.several_labels = true;
    options.seed = 5;
    data = with_leaf_labels(random_dataset(options));
    all.resize(static_cast<std::size_t>(data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    for (Index s = 0; s < data.samples() && has_weights; ++s) weight.push_back(0.5 + static_cast<double>(s % 4));
    labels = closed_labels(data, weight);
    y = Matrix::Zero(data.samples(), labels.columns());
    for (Index s = 0; s < data.samples(); ++s) {
      for (const std::int32_t c : labels.members.of(s)) y(s, c) = 1;
    }
  }

  LandmarkRegression regression(std::span<const Index> landmarks, const KernelOptions& kernel, const EvenBlocks& blocks,
                                Context& ctx) const {
    return LandmarkRegression(
        landmarks, kernel,
        [this, kernel, &ctx](std::span<const Index> some) {
          return KernelSamples(kernel_arrays(data, some, {}, {}, false, ctx), kernel, ctx);
        },
        labels, weight, blocks, ctx);
  }

  Dataset data = random_dataset({});
  std::vector<Index> all;
  std::vector<double> weight;
  ClosedLabels labels;
  Matrix y;
};

TEST(LandmarkRegression, WithAllSamplesIsTheExactSolution) {
  Context ctx({.threads = 2});
  for (const bool has_weights : {false, true}) {
    const LandmarkCase c(has_weights);
    const KernelSamples samples(kernel_arrays(c.data, c.all, {}, {}, false, ctx),
                                {.kind = KernelKind::kLinear, .gamma = 1}, ctx);
    for (const RidgeKernel kind : {RidgeKernel::kExponential, RidgeKernel::kRbf}) {
      RidgeProblem problem{squared_distances(samples, ctx), 1, c.data, c.labels, c.weight};
      problem.median = median_square(problem.squares);
      const RidgeFit exact = solve_ridge(problem, kind, 0.7, 0.3, true, ctx);
      const bool is_rbf = kind == RidgeKernel::kRbf;
      Team alone(std::make_shared<Alone>());
      const EvenBlocks blocks = EvenBlocks::one(alone, c.data.samples());
      LandmarkRegression found = c.regression(c.all,
                                              {.kind = is_rbf ? KernelKind::kRbf : KernelKind::kExponential,
                                               .gamma = 0.7 / (is_rbf ? problem.median : std::sqrt(problem.median))},
                                              blocks, ctx);
      found.solve(0.3);
      // Equal samples may share a coefficient in any way, so scores are compared.
      Matrix k(c.data.samples(), c.data.samples());
      for (Index i = 0; i < k.rows(); ++i) {
        for (Index j = 0; j < k.cols(); ++j) {
          const double square = problem.squares(std::max(i, j), std::min(i, j)) / problem.median;
          k(i, j) = std::exp(-0.7 * (is_rbf ? square : std::sqrt(square)));
        }
      }
      EXPECT_LE((k * (found.coefficient() - exact.coefficient)).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LE((found.held_out(c.all) - exact.held_out).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

// Every sample is left out and the rest fitted anew, with the same landmarks and means.
TEST(LandmarkRegression, LeaveOneOutIsThatOfFittingWithoutTheSample) {
  const std::vector<Index> landmarks{1, 4, 9, 16, 25, 36, 37, 38};
  const KernelOptions kernel{.kind = KernelKind::kExponential, .gamma = 0.4};
  const double penalty = 0.2;
  for (const bool has_weights : {false, true}) {
    Context ctx({.threads = 1});
    const LandmarkCase c(has_weights);
    Team alone(std::make_shared<Alone>());
    const EvenBlocks blocks(alone, c.data.samples(), 8);
    LandmarkRegression regression = c.regression(landmarks, kernel, blocks, ctx);
    regression.solve(penalty);
    const Matrix held_out = regression.held_out(c.all);
    const Index n = c.data.samples();
    const Index m = std::ssize(landmarks);
    Matrix values(n, c.data.features());
    values.setZero();
    for (Index s = 0; s < n; ++s) c.data.for_each_value(s, [&](FeatureIndex f, auto v) { values(s, f) = v; });
    Matrix k(n, m);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        k(i, j) = std::exp(-kernel.gamma * (values.row(i) - values.row(landmarks[static_cast<std::size_t>(j)])).norm());
      }
    }
    Matrix between(m, m);
    for (Index j = 0; j < m; ++j) between.row(j) = k.row(landmarks[static_cast<std::size_t>(j)]);
    Matrix centred = c.y;
    for (Index v = 0; v < c.y.cols(); ++v) centred.col(v).array() -= c.labels.frequency[static_cast<std::size_t>(v)];
    for (Index left_out = -1; left_out < n; ++left_out) {
      Matrix squares = penalty * between;
      Matrix products = Matrix::Zero(m, c.y.cols());
      for (Index i = 0; i < n; ++i) {
        if (i == left_out) continue;
        const double mass = has_weights ? c.weight[static_cast<std::size_t>(i)] : 1;
        squares += mass * k.row(i).transpose() * k.row(i);
        products += mass * k.row(i).transpose() * centred.row(i);
      }
      const Matrix coefficient = plain_inverse(squares) * products;
      if (left_out < 0) {
        EXPECT_LE((regression.coefficient() - coefficient).cwiseAbs().maxCoeff(), 1e-6);
        continue;
      }
      const Matrix expected = k.row(left_out) * coefficient + (c.y - centred).row(left_out);
      EXPECT_LE((held_out.row(left_out) - expected).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

// Every process has the samples of its blocks, and the landmarks; other samples are not asked for.
TEST(LandmarkRegression, ProcessesChangeNothing) {
  const std::vector<Index> landmarks{0, 3, 11, 20, 33, 39};
  const KernelOptions kernel{.kind = KernelKind::kRbf, .gamma = 0.2};
  const LandmarkCase c(true);
  const std::vector<Index> some{1, 2, 11, 19, 20, 21, 30, 39};
  struct Found {
    Matrix coefficient;
    Matrix held_out;
  };
  const auto found_by = [&](int processes) {
    std::vector<Found> found(static_cast<std::size_t>(processes));
    LocalTeam(processes).run([&](Team& team) {
      Context ctx({.threads = 1 + team.rank() % 3});
      const EvenBlocks blocks(team, c.data.samples(), 5);
      const auto [begin, end] = blocks.own_rows();
      LandmarkRegression regression(
          landmarks, kernel,
          [&, begin = begin, end = end](std::span<const Index> asked) {
            for (const Index s : asked) {
              EXPECT_TRUE((begin <= s && s < end) || std::ranges::binary_search(landmarks, s)) << s;
            }
            return KernelSamples(kernel_arrays(c.data, asked, {}, {}, false, ctx), kernel, ctx);
          },
          c.labels, c.weight, blocks, ctx);
      regression.solve(0.3);
      found[static_cast<std::size_t>(team.rank())] = {regression.coefficient(), regression.shared_held_out(some)};
    });
    return found;
  };
  const Found alone = found_by(1)[0];
  for (const int processes : {2, 3, 4, 7, 11}) {
    for (const Found& found : found_by(processes)) {
      EXPECT_EQ(found.coefficient, alone.coefficient);
      EXPECT_EQ(found.held_out, alone.held_out);
    }
  }
  // Blocks change the last digits only.
  Context ctx({.threads = 1});
  Team one(std::make_shared<Alone>());
  const EvenBlocks whole = EvenBlocks::one(one, c.data.samples());
  LandmarkRegression regression = c.regression(landmarks, kernel, whole, ctx);
  regression.solve(0.3);
  EXPECT_LE((regression.coefficient() - alone.coefficient).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LE((regression.shared_held_out(some) - alone.held_out).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LandmarkRegression, TakesEqualLandmarksAndAnyNumberOfThreads) {
  const LandmarkCase c(true);
  std::vector<Index> twice = c.all;  // every sample twice: the kernel of the landmarks is singular
  twice.insert(twice.end(), c.all.begin(), c.all.end());
  const Dataset data = c.data.subset(twice);
  std::vector<double> weight = c.weight;
  weight.insert(weight.end(), c.weight.begin(), c.weight.end());
  const ClosedLabels labels = closed_labels(data, weight);
  std::vector<Index> all(twice.size());
  std::iota(all.begin(), all.end(), Index{0});
  const KernelOptions kernel{.kind = KernelKind::kRbf, .gamma = 0.1};
  Matrix first;
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    Team alone(std::make_shared<Alone>());
    const EvenBlocks blocks = EvenBlocks::one(alone, data.samples());
    LandmarkRegression regression(
        all, kernel,
        [&](std::span<const Index> some) {
          return KernelSamples(kernel_arrays(data, some, {}, {}, false, ctx), kernel, ctx);
        },
        labels, weight, blocks, ctx);
    regression.solve(0.1);
    const Matrix held_out = regression.held_out(all);
    ASSERT_TRUE(held_out.allFinite());
    if (threads == 1) first = held_out;
    EXPECT_EQ(held_out, first);
  }
}

}  // namespace
}  // namespace clade
