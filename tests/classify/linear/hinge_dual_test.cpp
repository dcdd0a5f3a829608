#include "classify/linear/hinge_dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "classify/linear/random_rows.h"
#include "math/dense.h"

namespace clade {
namespace {

struct Case {
  std::string name;
  Matrix x;
  std::vector<std::int8_t> sign;
  std::vector<double> weight;  // empty: 1
  double c = 1;
  double bias = 1;
  Loss loss = Loss::kHinge;

  Index size() const { return x.rows(); }
  double y(Index r) const { return sign[static_cast<std::size_t>(r)]; }
  double cost(Index r) const { return c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]); }
  // The rows with the feature that all have.
  Matrix extended() const {
    Matrix result = Matrix::Constant(x.rows(), x.cols() + 1, bias);
    result.leftCols(x.cols()) = x;
    return result;
  }
  double primal(const Vector& w) const {
    const Vector decision = extended() * w;
    double sum = w.squaredNorm() / 2;
    for (Index r = 0; r < size(); ++r) {
      const double slack = std::max(0.0, 1 - y(r) * decision(r));
      sum += cost(r) * (loss == Loss::kHinge ? slack : slack * slack);
    }
    return sum;
  }
};

// Both losses, tall and wide, dense and sparse, apart and mixed; weights, rows of weight 0, empty rows, the same row on
// both sides.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int k = 0; k < 48; ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 60});
    Case c;
    c.name = "case " + std::to_string(k);
    c.loss = k % 2 == 0 ? Loss::kHinge : Loss::kSquaredHinge;
    const Index n = 10 + 6 * (k % 5);
    c.x = testing::random_matrix(n, k % 3 == 0 ? 4 : 15, k % 4 == 3 ? 0.25 : 1, random);
    for (Index r = 0; r < n; ++r) {
      c.sign.push_back(r == 0 || (r > 1 && random.uniform() < 0.4) ? 1 : -1);
      c.x(r, 0) += 0.8 * (k % 3) * c.y(r);
    }
    if (k % 5 == 1) c.x.row(1) = c.x.row(0);  // signs +1 and -1
    if (k % 5 == 2) c.x.row(3).setZero();
    if (k % 3 == 1) {
      for (Index r = 0; r < n; ++r) c.weight.push_back(r % 6 == 5 ? 0 : 3 * random.uniform());
    }
    const double costs[] = {1, 0.03, 10};
    c.c = costs[(k / 2) % 3];
    const double biases[] = {1, 0};
    c.bias = biases[(k / 6) % 2];
    all.push_back(c);
  }
  return all;
}

HingeResult run(const Case& c, double tolerance, std::span<const double> start = {}, int passes = 1000000,
                std::uint64_t seed = 1, int threads = 1) {
  Context ctx({.threads = threads});
  return hinge_dual(
      testing::rows_of(c.x), c.sign, c.weight, start,
      {.c = c.c, .loss = c.loss, .bias = c.bias, .tolerance = tolerance, .iterations = passes, .seed = seed}, ctx);
}

// The bias of the result is that of the decision; the weight of the feature is it divided by its value.
Vector weights(const Case& c, const HingeResult& found) {
  Vector w(c.x.cols() + 1);
  for (Index f = 0; f < c.x.cols(); ++f) w(f) = found.w[static_cast<std::size_t>(f)];
  w(c.x.cols()) = c.bias == 0 ? 0 : found.bias / c.bias;
  return w;
}

// The minimum by projected gradient steps with momentum and restarts on the dual.
double slow_minimum(const Case& c) {
  Matrix signed_rows = c.extended();
  for (Index r = 0; r < c.size(); ++r) signed_rows.row(r) *= c.y(r);
  Matrix q = signed_rows * signed_rows.transpose();
  Vector bound(c.size());
  for (Index r = 0; r < c.size(); ++r) {
    bound(r) = c.loss == Loss::kHinge || c.cost(r) == 0 ? c.cost(r) : 1e30;
    if (c.loss == Loss::kSquaredHinge && c.cost(r) > 0) q(r, r) += 0.5 / c.cost(r);
  }
  const double steepest = q.trace();
  Vector a = Vector::Zero(c.size());
  Vector ahead = a;
  double momentum = 1;
  for (int k = 0; k < 100000; ++k) {
    const Vector next = (ahead - (q * ahead - Vector::Ones(c.size())) / steepest).cwiseMax(0).cwiseMin(bound).eval();
    const Vector change = next - a;
    const bool overshoots = (ahead - next).dot(change) > 0;
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = overshoots ? next : Vector(next + (momentum - 1) / grown * change);
    momentum = overshoots ? 1 : grown;
    a = next;
    if (overshoots && change.norm() <= 1e-13 * a.norm()) break;
  }
  return a.sum() - a.dot(q * a) / 2;
}

TEST(HingeDual, ObjectiveIsThatOfProjectedGradients) {
  for (const Case& c : cases()) {
    const double expected = slow_minimum(c);
    const HingeResult found = run(c, 1e-9);
    EXPECT_TRUE(found.has_converged) << c.name;
    EXPECT_NEAR(found.objective, expected, 1e-6 * expected) << c.name;
  }
}

TEST(HingeDual, GapCloses) {
  for (const Case& c : cases()) {
    const HingeResult found = run(c, 1e-9);
    EXPECT_LT(found.gap, 1e-6 * found.objective) << c.name << " after " << found.iterations;
    EXPECT_GT(found.gap, -1e-9 * found.objective) << c.name;
  }
}

// What the result says of itself is true wherever the solver stops: the objective is that of the weights, the weights
// are those of the dual variables, which are within their bounds, and the gap is not below the distance to the optimum.
TEST(HingeDual, ReportsObjectiveAndGap) {
  for (const Case& c : cases()) {
    const double optimum = run(c, 1e-9).objective;
    for (const int passes : {0, 1, 2, 5, 50}) {
      const HingeResult found = run(c, 1e-6, {}, passes);
      EXPECT_LE(found.iterations, passes);
      const Vector w = weights(c, found);
      EXPECT_NEAR(found.objective, c.primal(w), 1e-9 * found.objective) << c.name;
      EXPECT_GE(found.gap, found.objective - optimum - 1e-6 * optimum) << c.name << " passes " << passes;
      Vector sum = Vector::Zero(w.size());
      for (Index r = 0; r < c.size(); ++r) {
        const double alpha = found.alpha[static_cast<std::size_t>(r)];
        EXPECT_GE(alpha, 0) << c.name;
        if (c.loss == Loss::kHinge || c.cost(r) == 0) {
          EXPECT_LE(alpha, c.cost(r)) << c.name;
        }
        sum += alpha * c.y(r) * c.extended().row(r).transpose();
      }
      EXPECT_LT((w - sum).norm(), 1e-9 * (1 + w.norm())) << c.name;
    }
  }
}

TEST(HingeDual, StartFromTheSolutionStaysThere) {
  for (const Case& c : cases()) {
    const HingeResult first = run(c, 1e-7);
    const HingeResult again = run(c, 1e-6, first.alpha);
    EXPECT_TRUE(again.has_converged) << c.name;
    EXPECT_LE(again.iterations, 2) << c.name;
    EXPECT_NEAR(again.objective, first.objective, 1e-6 * first.objective) << c.name;
    EXPECT_LT((weights(c, again) - weights(c, first)).norm(), 1e-4 * weights(c, first).norm() + 1e-9) << c.name;
  }
}

// As where a solution for all rows becomes one for some: variables beyond their new bounds are brought within.
TEST(HingeDual, StartOfOtherWeightsIsNoHindrance) {
  for (const Case& c : cases()) {
    const HingeResult first = run(c, 1e-3);
    Case part = c;
    part.weight.assign(c.sign.size(), 1);
    for (std::size_t r = 1; r < part.weight.size(); r += 4) part.weight[r] = 0;
    const double expected = run(part, 1e-9).objective;
    const HingeResult found = run(part, 1e-9, first.alpha);
    EXPECT_NEAR(found.objective, expected, 1e-6 * expected) << c.name;
    for (std::size_t r = 1; r < part.weight.size(); r += 4) EXPECT_EQ(found.alpha[r], 0) << c.name;
  }
}

TEST(HingeDual, WeightOfZeroLeavesTheRowOut) {
  for (const Case& c : cases()) {
    Case weighted = c;
    weighted.weight.assign(c.sign.size(), 1);
    Case without = c;
    without.weight.clear();
    without.sign.clear();
    std::vector<Index> kept;
    for (std::size_t r = 0; r < c.sign.size(); ++r) {
      if (r % 5 == 3) {
        weighted.weight[r] = 0;
      } else {
        kept.push_back(static_cast<Index>(r));
        without.sign.push_back(c.sign[r]);
      }
    }
    without.x = c.x(kept, Eigen::all);
    const HingeResult a = run(weighted, 1e-9);
    const HingeResult b = run(without, 1e-9);
    EXPECT_NEAR(a.objective, b.objective, 1e-6 * b.objective) << c.name;
    EXPECT_LT((weights(c, a) - weights(c, b)).norm(), 1e-3 * weights(c, b).norm() + 1e-9) << c.name;
  }
}

TEST(HingeDual, WeightOfTwoIsTheRowTwice) {
  for (const Case& c : cases()) {
    Case weighted = c;
    weighted.weight.assign(c.sign.size(), 1);
    Case twice = c;
    twice.weight.clear();
    twice.x.resize(c.x.rows() + 2, c.x.cols());
    twice.x << c.x, c.x.row(1), c.x.row(6);
    for (const std::size_t r : {std::size_t{1}, std::size_t{6}}) {
      weighted.weight[r] = 2;
      twice.sign.push_back(c.sign[r]);
    }
    const double expected = run(twice, 1e-9).objective;
    EXPECT_NEAR(run(weighted, 1e-9).objective, expected, 1e-6 * expected) << c.name;
  }
}

TEST(HingeDual, OrderChangesTheWayNotTheEnd) {
  for (const Case& c : cases()) {
    const Vector a = weights(c, run(c, 1e-9, {}, 1000000, 1));
    const Vector b = weights(c, run(c, 1e-9, {}, 1000000, 2));
    EXPECT_LT((a - b).norm(), 1e-3 * a.norm() + 1e-9) << c.name;
  }
}

TEST(HingeDual, SameForAnyNumberOfThreads) {
  for (const Case& c : cases()) {
    const HingeResult one = run(c, 1e-3);
    for (const int threads : {2, 3}) {
      const HingeResult more = run(c, 1e-3, {}, 1000000, 1, threads);
      EXPECT_EQ(more.w, one.w) << c.name;
      EXPECT_EQ(more.bias, one.bias) << c.name;
      EXPECT_EQ(more.alpha, one.alpha) << c.name;
    }
  }
}

TEST(HingeDual, RowsWithoutValues) {
  for (const Loss loss : {Loss::kHinge, Loss::kSquaredHinge}) {
    Case c{.name = "empty", .x = Matrix::Zero(3, 2), .sign = {1, -1, -1}, .weight = {}, .c = 2, .bias = 0};
    c.loss = loss;
    const HingeResult found = run(c, 1e-6);
    EXPECT_TRUE(found.has_converged);
    EXPECT_EQ(found.w, std::vector<double>({0, 0}));
    EXPECT_EQ(found.bias, 0);
    EXPECT_EQ(found.objective, 6);
    // The constant feature alone leans to the larger side.
    c.bias = 1;
    EXPECT_LT(run(c, 1e-6).bias, 0);
  }
}

TEST(HingeDual, OneClassOnly) {
  for (const Loss loss : {Loss::kHinge, Loss::kSquaredHinge}) {
    for (const std::int8_t side : {std::int8_t{1}, std::int8_t{-1}}) {
      RandomStream random(7, {kTestStream, 61});
      Case c{.name = "one class", .x = testing::random_matrix(9, 3, 1, random), .sign = {}, .weight = {}, .c = 5};
      c.sign.assign(9, side);
      c.loss = loss;
      const HingeResult found = run(c, 1e-9);
      EXPECT_NEAR(found.objective, slow_minimum(c), 1e-6 * found.objective);
      EXPECT_GT(found.bias * side, 0);
    }
  }
}

TEST(HingeDual, NoRows) {
  const Case none{.name = "no rows", .x = Matrix::Zero(0, 2), .sign = {}, .weight = {}};
  const HingeResult found = run(none, 1e-6);
  EXPECT_TRUE(found.has_converged);
  EXPECT_EQ(found.objective, 0);
  EXPECT_EQ(found.w, std::vector<double>({0, 0}));
}

TEST(HingeDual, CanBeCancelled) {
  const Case c = cases()[0];
  auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  Context ctx({.threads = 1, .cancel = cancel});
  EXPECT_THROW(hinge_dual(testing::rows_of(c.x), c.sign, c.weight, {}, {}, ctx), Error);
}

}  // namespace
}  // namespace clade
