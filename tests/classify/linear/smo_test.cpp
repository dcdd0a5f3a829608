#include "classify/linear/smo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
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

  Index size() const { return x.rows(); }
  double y(Index t) const { return sign[static_cast<std::size_t>(t)]; }
  double bound(Index t) const { return c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(t)]); }
  double primal(const Vector& w, double bias) const {
    double sum = w.squaredNorm() / 2;
    for (Index t = 0; t < size(); ++t) sum += bound(t) * std::max(0.0, 1 - y(t) * (x.row(t).dot(w) + bias));
    return sum;
  }
};

// Tall and wide, dense and sparse, apart and mixed, weighted; duplicated rows, the same row on both sides.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int k = 0; k < 48; ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 41});
    const Index n = 12 + 7 * (k % 5);
    const Index p = k % 2 == 0 ? 4 : 30;
    Case c;
    c.name = "case " + std::to_string(k);
    c.x = testing::random_matrix(n, p, k % 3 == 0 ? 0.2 : 1, random);
    for (Index t = 0; t < n; ++t) {
      c.sign.push_back(t == 0 || (t > 1 && random.uniform() < 0.4) ? 1 : -1);
      c.x(t, 0) += (k % 4) * c.y(t);
    }
    if (k % 5 == 1) {
      c.x.row(2) = c.x.row(0);
      c.x.row(3) = c.x.row(0);
      c.x.row(4) = c.x.row(1);
    }
    if (k % 5 == 2) {
      c.x.row(1) = c.x.row(0);  // signs +1 and -1
      c.x.row(5).setZero();
    }
    if (k % 3 == 1) {
      for (Index t = 0; t < n; ++t) c.weight.push_back(t % 6 == 5 ? 0 : 3 * random.uniform());
    }
    const double costs[] = {1, 0.01, 30};
    c.c = costs[k % 3 == 2 ? 2 : (k / 3) % 2];
    all.push_back(c);
  }
  return all;
}

SmoResult run(const Case& c, double tolerance, int threads = 2) {
  Context ctx({.threads = threads});
  std::vector<Index> taken(static_cast<std::size_t>(c.size()));
  std::iota(taken.begin(), taken.end(), Index{0});
  return smo(testing::rows_of(c.x), taken, c.sign, c.weight, {.c = c.c, .tolerance = tolerance}, ctx);
}

Vector weights(const SmoResult& result) {
  return Eigen::Map<const Vector>(result.w.data(), static_cast<Index>(result.w.size()));
}

// The point of {0 <= a <= bounds, y'a = 0} next to `a`: a - shift y cut to the box, with the shift found by halving.
Vector projected(const Case& c, const Vector& a) {
  const auto cut = [&](double shift) {
    Vector result(a.size());
    for (Index t = 0; t < a.size(); ++t) result(t) = std::clamp(a(t) - shift * c.y(t), 0.0, c.bound(t));
    return result;
  };
  const auto balance = [&](const Vector& b) {
    double sum = 0;
    for (Index t = 0; t < b.size(); ++t) sum += c.y(t) * b(t);
    return sum;
  };
  double low = -1e3;
  double high = 1e3;
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (balance(cut(middle)) > 0 ? low : high) = middle;
  }
  return cut(high);
}

// The minimum of the dual by projected gradient steps with momentum and restarts.
double slow_dual(const Case& c) {
  Matrix q = c.x * c.x.transpose();
  for (Index i = 0; i < c.size(); ++i) {
    for (Index j = 0; j < c.size(); ++j) q(i, j) *= c.y(i) * c.y(j);
  }
  const double bound = q.trace();
  const auto value = [&](const Vector& a) { return a.dot(q * a) / 2 - a.sum(); };
  Vector a = Vector::Zero(c.size());
  Vector ahead = a;
  double momentum = 1;
  for (int k = 0; k < 20000; ++k) {
    const Vector next = projected(c, ahead - (q * ahead - Vector::Ones(c.size())) / bound);
    const bool overshoots = (ahead - next).dot(next - a) > 0;
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = overshoots ? next : Vector(next + (momentum - 1) / grown * (next - a));
    momentum = overshoots ? 1 : grown;
    const bool stays = (next - a).norm() <= 1e-13 * next.norm();
    a = next;
    if (stays && overshoots) break;
  }
  return value(a);
}

TEST(Smo, DualIsThatOfProjectedGradients) {
  for (const Case& c : cases()) {
    const double expected = slow_dual(c);
    EXPECT_NEAR(run(c, 1e-6).objective, expected, 1e-6 * std::abs(expected)) << c.name;
  }
}

// Every row is within the tolerance of its condition, so primal and dual differ by the tolerance times the sum of the
// costs at most. That proves both optimal, and the bias with them.
TEST(Smo, GapCloses) {
  for (const Case& c : cases()) {
    double costs = 0;
    for (Index t = 0; t < c.size(); ++t) costs += c.bound(t);
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      const SmoResult found = run(c, tolerance);
      const double primal = c.primal(weights(found), found.bias);
      EXPECT_NEAR(primal, -found.objective, tolerance * costs + 1e-10 * primal) << c.name;
    }
  }
}

TEST(Smo, BiasHasNoBetterNeighbour) {
  for (const Case& c : cases()) {
    const SmoResult found = run(c, 1e-8);
    const double primal = c.primal(weights(found), found.bias);
    for (const double step : {-0.1, -1e-3, 1e-3, 0.1}) {
      EXPECT_GE(c.primal(weights(found), found.bias + step), primal * (1 - 1e-6)) << c.name;
    }
  }
}

TEST(Smo, DefaultToleranceIsNearTheOptimum) {
  for (const Case& c : cases()) {
    const double optimum = run(c, 1e-8).objective;
    EXPECT_NEAR(run(c, 1e-3).objective, optimum, 2e-3 * std::abs(optimum)) << c.name;
  }
}

TEST(Smo, OneRowPerSideIsTheHalfwayPlane) {
  Case c{.name = "pair", .x = Matrix(2, 2), .sign = {1, -1}, .weight = {}, .c = 100};
  c.x << 3, 1, 1, 1;
  const SmoResult found = run(c, 1e-9);
  EXPECT_NEAR(found.w[0], 1, 1e-12);
  EXPECT_NEAR(found.w[1], 0, 1e-12);
  EXPECT_NEAR(found.bias, -2, 1e-12);
  // Less cost than the margin asks for: w is c times the difference of the rows.
  c.c = 0.1;
  const SmoResult soft = run(c, 1e-9);
  EXPECT_NEAR(soft.w[0], 0.2, 1e-12);
  EXPECT_NEAR(soft.bias, -0.4, 1e-12);
}

TEST(Smo, SameRowOnBothSidesHasNoDirection) {
  Case c{.name = "same", .x = Matrix::Ones(4, 3), .sign = {1, -1, -1, 1}, .weight = {}, .c = 2};
  const SmoResult found = run(c, 1e-3);
  for (const double w : found.w) EXPECT_NEAR(w, 0, 1e-9);
  EXPECT_NEAR(found.objective, -8, 1e-9);
  EXPECT_NEAR(found.bias, 0, 1e-9);
}

TEST(Smo, OneSideAloneIsThatSideEverywhere) {
  for (const std::int8_t side : {std::int8_t{1}, std::int8_t{-1}}) {
    const Case c{.name = "side", .x = Matrix::Random(5, 3), .sign = std::vector<std::int8_t>(5, side), .weight = {}};
    const SmoResult found = run(c, 1e-3);
    for (const double w : found.w) EXPECT_EQ(w, 0);
    EXPECT_EQ(found.bias, side);
  }
  Context ctx;
  const SmoResult nothing = smo(testing::rows_of(Matrix::Random(5, 3)), {}, {}, {}, {}, ctx);
  EXPECT_EQ(nothing.bias, 0);
  EXPECT_EQ(nothing.w, std::vector<double>(3, 0.0));
}

TEST(Smo, WeightOfTwoIsTheRowTwice) {
  for (const Case& c : cases()) {
    if (!c.weight.empty()) continue;
    Case weighted = c;
    weighted.weight.assign(c.sign.size(), 1);
    Case twice = c;
    twice.x.resize(c.size() + 2, c.x.cols());
    twice.x << c.x, c.x.row(0), c.x.row(7);
    for (const std::size_t r : {std::size_t{0}, std::size_t{7}}) {
      weighted.weight[r] = 2;
      twice.sign.push_back(c.sign[r]);
    }
    const double expected = run(twice, 1e-8).objective;
    EXPECT_NEAR(run(weighted, 1e-8).objective, expected, 1e-7 * std::abs(expected)) << c.name;
  }
}

// Only the rows taken count, in whatever larger table they lie.
TEST(Smo, RowsNotTakenChangeNothing) {
  for (const Case& c : cases()) {
    Matrix larger = Matrix::Constant(2 * c.size(), c.x.cols(), 99);
    std::vector<Index> taken;
    for (Index t = 0; t < c.size(); ++t) {
      larger.row(2 * t + 1) = c.x.row(t);
      taken.push_back(2 * t + 1);
    }
    Context ctx({.threads = 1});
    const SmoResult part = smo(testing::rows_of(larger), taken, c.sign, c.weight, {.c = c.c, .tolerance = 1e-3}, ctx);
    const SmoResult whole = run(c, 1e-3);
    EXPECT_EQ(part.w, whole.w) << c.name;
    EXPECT_EQ(part.bias, whole.bias) << c.name;
  }
}

TEST(Smo, ThreadsChangeNothing) {
  for (const double share : {1.0, 0.02}) {
    RandomStream random(5, {kTestStream, 42});
    Case c;
    c.x = testing::random_matrix(1500, 60, share, random);
    for (Index t = 0; t < c.size(); ++t) c.sign.push_back(c.x(t, 0) + random.normal() > 0 ? 1 : -1);
    const SmoResult one = run(c, 1e-3, 1);
    for (const int threads : {2, 3}) {
      const SmoResult more = run(c, 1e-3, threads);
      EXPECT_EQ(more.w, one.w);
      EXPECT_EQ(more.bias, one.bias);
      EXPECT_EQ(more.iterations, one.iterations);
    }
  }
}

}  // namespace
}  // namespace clade
