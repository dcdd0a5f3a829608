#include "math/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace clade {
namespace {

double rosenbrock(const Vector& x, Vector& g) {
  double value = 0;
  g.setZero();
  for (Index k = 0; k + 1 < x.size(); ++k) {
    const double across = x(k + 1) - x(k) * x(k);
    value += 100 * across * across + (1 - x(k)) * (1 - x(k));
    g(k) += -400 * x(k) * across - 2 * (1 - x(k));
    g(k + 1) += 200 * across;
  }
  return value;
}

TEST(Lbfgs, FollowsACurvedValley) {
  Context ctx({.threads = 2});
  for (const Index size : {2, 10}) {
    Vector x = Vector::Constant(size, -0.5);
    const LbfgsResult found = lbfgs(rosenbrock, x, {}, {.tolerance = 1e-9, .iterations = 1000}, ctx);
    EXPECT_TRUE(found.has_converged);
    EXPECT_LT((x - Vector::Ones(size)).norm(), 1e-7) << size;
    EXPECT_LT(found.objective, 1e-14);
  }
}

TEST(Lbfgs, MoreIterationsAreNeverWorse) {
  Context ctx({.threads = 1});
  double last = HUGE_VAL;
  for (int iterations = 0; iterations < 60; ++iterations) {
    Vector x = Vector::Constant(6, -0.7);
    const LbfgsResult found = lbfgs(rosenbrock, x, {}, {.tolerance = 0, .iterations = iterations}, ctx);
    Vector g(x.size());
    EXPECT_EQ(found.objective, rosenbrock(x, g));
    EXPECT_EQ(found.gradient, g.lpNorm<Eigen::Infinity>());
    EXPECT_LE(found.iterations, iterations);
    EXPECT_LE(found.objective, last * (1 + 1e-12));
    last = found.objective;
  }
}

// 1/2 sum_k s_k (x_k - t_k)^2 over twelve powers of ten.
TEST(Lbfgs, ScaleOfTheHessianSolvesAQuadraticAtOnce) {
  const Index size = 200'000;  // several tasks
  Vector s(size);
  Vector t(size);
  RandomStream random(1, {kTestStream, 60});
  for (Index k = 0; k < size; ++k) {
    s(k) = std::pow(10.0, static_cast<double>(k % 13) - 6);
    t(k) = random.normal();
  }
  const auto quadratic = [&](const Vector& x, Vector& g) {
    g = s.cwiseProduct(x - t);
    return g.dot(x - t) / 2;
  };
  Vector first;
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    Vector x = Vector::Zero(size);
    const LbfgsResult found = lbfgs(quadratic, x, s.cwiseInverse(), {.tolerance = 1e-8, .iterations = 20}, ctx);
    EXPECT_TRUE(found.has_converged);
    EXPECT_LE(found.iterations, 3);
    if (threads == 1) first = x;
    EXPECT_EQ(x, first);
  }
}

// An objective that is not finite far out: the step is shortened until it is.
TEST(Lbfgs, StepsBackFromInfinity) {
  Context ctx({.threads = 1});
  const auto wall = [](const Vector& x, Vector& g) {
    g = x;
    g(0) = x(0) - 1 + 1 / (3 - x(0));
    return x(0) < 3 ? x.squaredNorm() / 2 - x(0) - std::log(3 - x(0)) : std::nan("");
  };
  Vector x = Vector::Constant(2, -50);
  const LbfgsResult found = lbfgs(wall, x, Vector::Constant(2, 10), {.tolerance = 1e-10, .iterations = 200}, ctx);
  EXPECT_TRUE(found.has_converged);
  EXPECT_NEAR(x(0), 2 - std::sqrt(2.0), 1e-9);  // (x - 1)(3 - x) + 1 = 0
  EXPECT_NEAR(x(1), 0, 1e-9);
}

}  // namespace
}  // namespace clade
