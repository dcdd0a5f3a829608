#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/scaling.h"
#include "select/learners/kernel_gradient.h"
#include "select/selector_support.h"

namespace clade {
namespace {

using testing::random_problem_options;
using testing::run_selector;

Matrix values_in_full(const Dataset& data) {
  Matrix x = Matrix::Zero(data.samples(), data.features());
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) { x(s, f) = static_cast<double>(value); });
  }
  return x;
}

double score_at(const Vector& at, const Matrix& x, const Vector& coefficient, RidgeKernel kernel, double gamma) {
  double score = 0;
  for (Index j = 0; j < x.rows(); ++j) {
    const double distance = (at.transpose() - x.row(j)).norm();
    score += coefficient(j) * std::exp(-gamma * (kernel == RidgeKernel::kRbf ? distance * distance : distance));
  }
  return score;
}

KernelSamples kernel_samples_of(const Dataset& data, Context& ctx) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return {data, all, {.kind = KernelKind::kLinear, .gamma = 1}, false, ctx};
}

TEST(RidgeSelector, GradientsAreThoseOfFiniteDifferences) {
  Context ctx({.threads = 1});
  for (int k = 0; k < 12; ++k) {
    const Dataset data = random_dataset(random_problem_options(k));
    const Matrix x = values_in_full(data);
    const KernelSamples samples = kernel_samples_of(data, ctx);
    const Matrix squares = squared_distances(samples, ctx);
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream});
    Vector coefficient(x.rows());
    for (double& c : coefficient) c = random.normal();
    const std::vector<Index> points{0, 3, 7};
    for (const RidgeKernel kernel : {RidgeKernel::kRbf, RidgeKernel::kExponential}) {
      constexpr double kGamma = 0.3;
      Vector expected = Vector::Zero(x.cols());
      for (const Index i : points) {
        for (Index f = 0; f < x.cols(); ++f) {
          // Central differences: what a sample has to say about itself is even, and falls out.
          constexpr double kStep = 1e-5;
          Vector up = x.row(i);
          Vector down = up;
          up(f) += kStep;
          down(f) -= kStep;
          const double slope =
              (score_at(up, x, coefficient, kernel, kGamma) - score_at(down, x, coefficient, kernel, kGamma)) /
              (2 * kStep);
          expected(f) += slope * slope;
        }
      }
      const Matrix slopes = kernel_slopes(squares, points, kernel, kGamma);
      for (const Matrix& dense : {x, Matrix()}) {
        const Vector found = squared_gradients(slopes, points, coefficient, samples, dense);
        for (Index f = 0; f < x.cols(); ++f) EXPECT_NEAR(found(f), expected(f), 1e-5 * (1 + expected(f))) << k;
      }
    }
  }
}

// The whole selector by its definition: coefficients from a plain solver, gradients at all samples.
TEST(RidgeSelector, WeightsAreThoseOfTheDefinition) {
  Context ctx({.threads = 1});
  for (int k = 0; k < 8; ++k) {
    RandomDataOptions options = random_problem_options(k);
    options.samples = 30;
    const Dataset data = random_dataset(options);
    const FeatureRanking found = run_selector("kernel-ridge", data, {{"kernel", "rbf"}, {"penalty", "0.5"}});
    const Dataset seen = scaled(data, options.sparse ? Scale::kUnit : Scale::kStandard, false);
    const Matrix x = values_in_full(seen);
    std::vector<double> squares;
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < i; ++j) squares.push_back((x.row(i) - x.row(j)).squaredNorm());
    }
    std::sort(squares.begin(), squares.end());
    const double gamma = 1 / squares[squares.size() / 2];
    Matrix system(30, 30);
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < 30; ++j) {
        system(i, j) = std::exp(-gamma * (x.row(i) - x.row(j)).squaredNorm()) + (i == j ? 0.5 : 0);
      }
    }
    for (const NodeTable& table : node_tables(data)) {
      const auto node = std::ranges::find(found.nodes, table.node, &NodeRanking::node);
      ASSERT_NE(node, found.nodes.end());
      Vector expected = Vector::Zero(x.cols());
      for (std::size_t c = 0; c < table.children.size(); ++c) {
        Vector y = Vector::Zero(30);
        for (Index s = 0; s < 30; ++s) {
          for (const NodeId label : data.labels(s)) {
            const auto above = data.taxonomy().ancestors(label);
            if (label == table.children[c] || std::ranges::find(above, table.children[c]) != above.end()) y(s) = 1;
          }
        }
        const Vector coefficient = system.fullPivLu().solve(y - Vector::Constant(30, y.mean()));
        for (const Index i : table.rows) {
          Vector gradient = Vector::Zero(x.cols());
          for (Index j = 0; j < 30; ++j) {
            const double value = std::exp(-gamma * (x.row(i) - x.row(j)).squaredNorm());
            gradient -= 2 * gamma * coefficient(j) * value * (x.row(i) - x.row(j)).transpose();
          }
          expected += gradient.cwiseAbs2() / static_cast<double>(table.samples());
        }
      }
      for (std::size_t r = 0; r < node->ranking.size(); ++r) {
        EXPECT_NEAR(node->weight[r], expected(node->ranking[r]), 1e-8 * (1 + expected.maxCoeff())) << k;
      }
    }
  }
}

TEST(RidgeSelector, ThreadsChangeNothing) {
  const Dataset data = random_dataset({.samples = 60, .features = 7, .nodes = 10, .several_labels = true});
  const FeatureRanking one = run_selector("kernel-ridge", data, {{"samples", "50"}, {"points", "9"}}, 1);
  for (const int threads : {2, 3}) {
    const FeatureRanking other = run_selector("kernel-ridge", data, {{"samples", "50"}, {"points", "9"}}, threads);
    for (std::size_t k = 0; k < one.nodes.size(); ++k) EXPECT_EQ(one.nodes[k].weight, other.nodes[k].weight);
  }
}

}  // namespace
}  // namespace clade
