#include "classify/linear/multinomial_logistic.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>

#include "classify/linear/linear_objective.h"
#include "classify/linear/random_rows.h"
#include "classify/linear/softmax_newton.h"
#include "plain_inverse.h"

namespace clade {
namespace {

struct Case {
  std::string name;
  Matrix x;
  std::vector<std::int32_t> label;
  Index classes = 2;
  std::vector<double> weight;  // empty: 1
  double c = 1;
  bool has_bias = true;

  double cost(Index r) const { return c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]); }
  Index y(Index r) const { return label[static_cast<std::size_t>(r)]; }
  // The row with 1 at its end, where there is a bias.
  Matrix extended() const {
    Matrix result = Matrix::Ones(x.rows(), x.cols() + (has_bias ? 1 : 0));
    result.leftCols(x.cols()) = x;
    return result;
  }
  // w: classes x columns of extended()
  double objective(const Matrix& w) const {
    const Matrix scores = extended() * w.transpose();
    double sum = w.leftCols(x.cols()).squaredNorm() / 2;
    for (Index r = 0; r < x.rows(); ++r) {
      const double most = scores.row(r).maxCoeff();
      sum += cost(r) * (most + std::log((scores.row(r).array() - most).exp().sum()) - scores(r, y(r)));
    }
    return sum;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int k = 0; k < 36; ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 43});
    Case c;
    c.name = "case " + std::to_string(k);
    const Index counts[] = {2, 3, 5, 9};
    c.classes = counts[k % 4];
    c.x = testing::random_matrix(k % 2 == 0 ? 60 : 14, k % 3 == 0 ? 3 : 11, k % 5 == 0 ? 0.15 : 1, random);
    c.label = testing::random_classes(c.x, c.classes, 0.7 * (k % 3), random);
    if (k % 4 >= 2) {
      for (Index r = 0; r < c.x.rows(); ++r) c.weight.push_back(r % 7 == 6 ? 0 : 2 * random.uniform());
    }
    const double costs[] = {1, 0.02, 20};
    c.c = costs[(k / 2) % 3];
    c.has_bias = k % 6 != 1;
    all.push_back(c);
  }
  return all;
}

LogisticResult run(const Case& c, double tolerance, int threads = 2) {
  Context ctx({.threads = threads});
  return multinomial_logistic(testing::rows_of(c.x), c.label, c.classes, c.weight,
                              {.c = c.c, .has_bias = c.has_bias, .tolerance = tolerance, .iterations = 2000}, ctx);
}

Matrix weights(const Case& c, const LinearWeights& found) {
  Matrix w(c.classes, c.x.cols() + (c.has_bias ? 1 : 0));
  for (Index m = 0; m < c.classes; ++m) {
    for (Index f = 0; f < c.x.cols(); ++f) w(m, f) = found.w[static_cast<std::size_t>(m)][static_cast<std::size_t>(f)];
    if (c.has_bias) w(m, c.x.cols()) = found.bias[static_cast<std::size_t>(m)];
  }
  return w;
}

// The minimum by Newton steps with the whole Hessian, halved until the objective falls.
double newton_minimum(const Case& c) {
  const Matrix x = c.extended();
  const Index p = x.cols();
  Matrix w = Matrix::Zero(c.classes, p);
  double value = c.objective(w);
  for (int k = 0; k < 100; ++k) {
    Vector g = Vector::Zero(c.classes * p);
    Matrix h = Matrix::Identity(c.classes * p, c.classes * p) * 1e-12;  // the same bias more for all changes nothing
    for (Index m = 0; m < c.classes; ++m) {
      for (Index f = 0; f < c.x.cols(); ++f) {
        g(m * p + f) = w(m, f);
        h(m * p + f, m * p + f) += 1;
      }
    }
    for (Index r = 0; r < x.rows(); ++r) {
      const Vector s = w * x.row(r).transpose();
      Vector prob = (s.array() - s.maxCoeff()).exp();
      prob /= prob.sum();
      const Matrix outer = c.cost(r) * x.row(r).transpose() * x.row(r);
      for (Index m = 0; m < c.classes; ++m) {
        g.segment(m * p, p) += c.cost(r) * (prob(m) - (m == c.y(r) ? 1 : 0)) * x.row(r).transpose();
        for (Index o = 0; o < c.classes; ++o) {
          h.block(m * p, o * p, p, p) += prob(m) * ((m == o ? 1 : 0) - prob(o)) * outer;
        }
      }
    }
    const Vector step = testing::plain_inverse(h) * g;
    double length = 1;
    for (; length > 1e-10; length /= 2) {
      Matrix next = w;
      for (Index m = 0; m < c.classes; ++m) next.row(m) -= length * step.segment(m * p, p).transpose();
      const double there = c.objective(next);
      if (there >= value) continue;
      w = next;
      value = there;
      break;
    }
    if (length <= 1e-10) break;
  }
  return value;
}

TEST(LinearObjective, GradientIsTheSlope) {
  for (const Case& c : cases()) {
    Context ctx({.threads = 2});
    const TrainingRows rows = testing::rows_of(c.x);
    const SingleClasses labels(c.label);
    const SoftmaxLoss loss(labels.classes(), c.classes, c.weight, c.c);
    LinearObjective objective(rows, loss, c.classes, {.has_bias = c.has_bias}, ctx);
    RandomStream random(1, {kTestStream, 44});
    Vector w = Vector::Zero(objective.size());
    for (Index k = 0; k < w.size(); ++k) w(k) = k % objective.stride() < c.classes ? random.normal() : 0;
    Vector g(w.size());
    Vector other(w.size());
    const double value = objective(w, g);
    for (Index k = 0; k < w.size(); ++k) {
      if (k % objective.stride() >= c.classes) {
        EXPECT_EQ(g(k), 0) << c.name;
        continue;
      }
      const double h = 1e-5;
      Vector moved = w;
      moved(k) += h;
      const double above = objective(moved, other);
      moved(k) -= 2 * h;
      const double below = objective(moved, other);
      EXPECT_NEAR(g(k), (above - below) / (2 * h), 1e-7 * std::max(1.0, value)) << c.name;
    }
  }
}

TEST(LinearObjective, BlocksOfRowsAddUp) {
  for (const double share : {1.0, 0.05}) {
    RandomStream random(2, {kTestStream, 48});
    Matrix x = testing::random_matrix(700, 90, share, random);
    const auto label = testing::random_classes(x, 37, 1, random);
    const TrainingRows rows = testing::rows_of(x);
    Context ctx({.threads = 2});
    const SingleClasses labels(label);
    const SoftmaxLoss loss(labels.classes(), 37, {}, 1);
    LinearObjective whole(rows, loss, 37, {}, ctx);
    LinearObjective parts(rows, loss, 37, {.residual_bytes = 1}, ctx);
    Vector w(whole.size());
    for (Index k = 0; k < w.size(); ++k) w(k) = k % whole.stride() < 37 ? 0.1 * random.normal() : 0;
    Vector g(w.size());
    Vector h(w.size());
    EXPECT_NEAR(whole(w, g), parts(w, h), 1e-9);
    EXPECT_LT((g - h).norm(), 1e-10);
  }
}

// Without the check in double precision: the point that Newton steps find meets the tolerance, on sparse data too.
TEST(SoftmaxNewton, StepsAloneMeetTheTolerance) {
  for (const double share : {1.0, 0.05}) {
    RandomStream random(3, {kTestStream, 49});
    Matrix x = testing::random_matrix(900, 150, share, random);
    const auto label = testing::random_classes(x, 11, 2, random);
    const TrainingRows rows = testing::rows_of(x);
    Context ctx({.threads = 2});
    const SoftmaxPoint point = softmax_newton(rows, label, 11, {}, {.tolerance = 1e-4}, ctx);
    EXPECT_LT(point.iterations, 200);
    const SingleClasses labels(label);
    const SoftmaxLoss loss(labels.classes(), 11, {}, 1);
    LinearObjective objective(rows, loss, 11, {}, ctx);
    Vector w = Vector::Zero(objective.size());
    Vector g(w.size());
    objective(w, g);
    const double first = g.lpNorm<Eigen::Infinity>();
    EXPECT_NEAR(point.first_gradient, first, 1e-5 * first);
    objective.combine(point.coefficients.span(), w);
    std::copy(point.bias.begin(), point.bias.end(), w.data() + rows.width() * objective.stride());
    objective(w, g);
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-4 * first);
  }
}

// Enough entries for several parts.
TEST(ColumnLists, AreTheColumns) {
  RandomStream random(4, {kTestStream, 50});
  const Matrix x = testing::random_matrix(3000, 400, 0.3, random);
  const TrainingRows rows = testing::rows_of(x);
  Context ctx({.threads = 2});
  const Index begin = 7;
  const Index end = 2990;
  const ColumnLists<double> lists = column_lists<double>(rows, begin, end, ctx);
  ASSERT_EQ(lists.columns(), 400);
  EXPECT_EQ(lists.tasks.front(), 0);
  EXPECT_EQ(lists.tasks.back(), 400);
  EXPECT_TRUE(std::ranges::is_sorted(lists.tasks));
  for (Index c = 0; c < 400; ++c) {
    auto at = static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(c)]);
    for (Index r = begin; r < end; ++r) {
      if (x(r, c) == 0) continue;
      ASSERT_EQ(lists.place[at], r - begin);
      ASSERT_EQ(lists.values[at], x(r, c));
      ++at;
    }
    EXPECT_EQ(static_cast<Index>(at), lists.offsets[static_cast<std::size_t>(c) + 1]);
  }
}

TEST(MultinomialLogistic, ObjectiveIsThatOfNewton) {
  for (const Case& c : cases()) {
    const LogisticResult found = run(c, 1e-8);
    const double expected = newton_minimum(c);
    EXPECT_TRUE(found.has_converged) << c.name;
    EXPECT_NEAR(found.objective, expected, 1e-9 * expected) << c.name;
    EXPECT_NEAR(c.objective(weights(c, found.weights)), found.objective, 1e-10 * expected) << c.name;
  }
}

TEST(MultinomialLogistic, DefaultToleranceIsNearTheOptimum) {
  for (const Case& c : cases()) {
    const double optimum = run(c, 1e-8).objective;
    EXPECT_LE(run(c, 1e-4).objective, optimum * (1 + 1e-4)) << c.name;
  }
}

// The gradient at the result by the definition: what the result says of itself is true.
TEST(MultinomialLogistic, ReportsItsGradient) {
  for (const Case& c : cases()) {
    const LogisticResult found = run(c, 1e-3);
    const Matrix w = weights(c, found.weights);
    double largest = 0;
    for (Index m = 0; m < w.rows(); ++m) {
      for (Index f = 0; f < w.cols(); ++f) {
        Matrix moved = w;
        moved(m, f) += 1e-5;
        const double above = c.objective(moved);
        moved(m, f) -= 2e-5;
        largest = std::max(largest, std::abs(above - c.objective(moved)) / 2e-5);
      }
    }
    EXPECT_NEAR(found.gradient, largest, 1e-7 * std::max(1.0, found.objective)) << c.name;
  }
}

TEST(MultinomialLogistic, ThreadsChangeNothing) {
  for (const double share : {1.0, 0.03}) {
    RandomStream random(5, {kTestStream, 45});
    Case c;
    c.classes = 7;
    c.x = testing::random_matrix(1100, 200, share, random);
    c.label = testing::random_classes(c.x, c.classes, 1, random);
    const LogisticResult one = run(c, 1e-5, 1);
    for (const int threads : {2, 3}) {
      const LogisticResult more = run(c, 1e-5, threads);
      EXPECT_EQ(more.weights.w, one.weights.w);
      EXPECT_EQ(more.weights.bias, one.weights.bias);
      EXPECT_EQ(more.objective, one.objective);
    }
  }
}

// Rows that a plane parts, at a cost that pushes the weights up: they stay finite and the objective small.
TEST(MultinomialLogistic, SeparableDataStaysFinite) {
  RandomStream random(6, {kTestStream, 46});
  Case c;
  c.classes = 3;
  c.x = testing::random_matrix(90, 4, 1, random);
  c.label = testing::random_classes(c.x, c.classes, 40, random);
  c.c = 1e6;
  const LogisticResult found = run(c, 1e-6);
  EXPECT_TRUE(found.has_converged);
  EXPECT_LT(found.objective, 1e-3 * c.c);
  EXPECT_TRUE(weights(c, found.weights).allFinite());
  const Matrix scores = c.extended() * weights(c, found.weights).transpose();
  for (Index r = 0; r < c.x.rows(); ++r) {
    Index best = 0;
    scores.row(r).maxCoeff(&best);
    EXPECT_EQ(best, c.y(r));
  }
}

TEST(MultinomialLogistic, LargeValuesDoNotOverflow) {
  RandomStream random(7, {kTestStream, 47});
  Case c;
  c.classes = 4;
  c.x = 1e4 * testing::random_matrix(50, 5, 1, random);
  c.label = testing::random_classes(c.x, c.classes, 0, random);
  const LogisticResult found = run(c, 1e-6);
  EXPECT_TRUE(std::isfinite(found.objective));
  EXPECT_LE(found.objective, c.objective(Matrix::Zero(c.classes, 6)));
  EXPECT_TRUE(weights(c, found.weights).allFinite());
}

TEST(MultinomialLogistic, WeightOfTwoIsTheRowTwice) {
  for (const Case& c : cases()) {
    if (!c.weight.empty()) continue;
    Case weighted = c;
    weighted.weight.assign(c.label.size(), 1);
    Case twice = c;
    twice.x.resize(c.x.rows() + 2, c.x.cols());
    twice.x << c.x, c.x.row(1), c.x.row(6);
    for (const std::size_t r : {std::size_t{1}, std::size_t{6}}) {
      weighted.weight[r] = 2;
      twice.label.push_back(c.label[r]);
    }
    const LogisticResult a = run(weighted, 1e-9);
    const LogisticResult b = run(twice, 1e-9);
    EXPECT_NEAR(a.objective, b.objective, 1e-9 * b.objective) << c.name;
    EXPECT_LT((weights(c, a.weights) - weights(c, b.weights)).norm(), 1e-5) << c.name;
  }
}

// Two weight vectors of two classes are opposite, and half of what one vector for both would be.
TEST(MultinomialLogistic, TwoClassesAreOpposite) {
  for (const Case& c : cases()) {
    if (c.classes != 2) continue;
    const Matrix w = weights(c, run(c, 1e-9).weights);
    EXPECT_LT((w.row(0) + w.row(1)).norm(), 1e-6 * w.norm() + 1e-12) << c.name;
  }
}

TEST(MultinomialLogistic, NothingToLearnIsZero) {
  Case c;
  c.x = Matrix::Zero(4, 3);
  c.label = {0, 1, 0, 1};
  const LogisticResult even = run(c, 1e-6);
  EXPECT_TRUE(even.has_converged);
  EXPECT_TRUE(weights(c, even.weights).isZero(0));
  Case one;
  one.classes = 1;
  one.x = Matrix::Ones(4, 3);
  one.label = {0, 0, 0, 0};
  EXPECT_TRUE(run(one, 1e-6).has_converged);
  EXPECT_EQ(run(one, 1e-6).objective, 0);
  Case none;
  none.x = Matrix::Zero(0, 3);
  EXPECT_TRUE(run(none, 1e-6).has_converged);
}

}  // namespace
}  // namespace clade
