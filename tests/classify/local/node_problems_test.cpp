#include "classify/local/node_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "classify/linear/random_rows.h"
#include "how_many.h"
#include "math/dense.h"

namespace clade {
namespace {

struct Case {
  std::string name;
  Matrix x;
  std::vector<std::int32_t> label;
  Index classes = 2;
  std::vector<double> weight;  // empty: 1
  double c = 1;
  double bias = 1;

  double cost(Index r) const { return c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]); }
  Index y(Index r) const { return label[static_cast<std::size_t>(r)]; }
  // The rows with the feature that all have.
  Matrix extended() const {
    Matrix result = Matrix::Constant(x.rows(), x.cols() + 1, bias);
    result.leftCols(x.cols()) = x;
    return result;
  }
  // w: classes x columns of extended()
  double primal(const Matrix& w) const {
    const Matrix scores = extended() * w.transpose();
    double sum = w.squaredNorm() / 2;
    for (Index r = 0; r < x.rows(); ++r) {
      double worst = 0;
      for (Index m = 0; m < classes; ++m) {
        if (m != y(r)) worst = std::max(worst, 1 + scores(r, m) - scores(r, y(r)));
      }
      sum += cost(r) * worst;
    }
    return sum;
  }
};

// Few and many classes (long enough for the lists of a sample's classes to count), tall and wide, sparse and dense,
// with and without a bias; weights, zeros, the same row in two classes, a class without rows.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int k = 0; k < testing::how_many(12, 40); ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 50});
    Case c;
    c.name = "case " + std::to_string(k);
    const Index counts[] = {2, 3, 6, 40};
    c.classes = counts[k % 4];
    c.x = testing::random_matrix(c.classes == 40 ? 90 : 25, k % 3 == 0 ? 4 : 12, k % 5 == 0 ? 0.2 : 1, random);
    c.label = testing::random_classes(c.x, c.classes, 0.8 * (k % 3), random);
    if (k % 3 == 1) {
      for (Index r = 0; r < c.x.rows(); ++r) c.weight.push_back(r % 7 == 6 ? 0 : 2 * random.uniform());
    }
    if (k % 6 == 2) {
      c.x.row(1) = c.x.row(0);
      c.x.row(2).setZero();
      c.classes += 1;
    }
    const double costs[] = {1, 0.03, 10};
    c.c = costs[(k / 4) % 3];
    const double biases[] = {1, 0, 2.5};
    c.bias = biases[(k / 2) % 3];
    all.push_back(c);
  }
  return all;
}

struct Found {
  LinearWeights weights;
  double objective = 0;
  double gap = 0;
  Index iterations = 0;
};

Found run(const Case& c, double tolerance, std::uint64_t seed = 1, int passes = 100000,
          JointSchedule schedule = JointSchedule::kInTurn) {
  Context ctx({.threads = 1});
  std::vector<NodeId> children(static_cast<std::size_t>(c.classes));
  std::iota(children.begin(), children.end(), 1);
  SampleClasses labels{.classes = c.label};
  for (std::size_t r = 1; r <= c.label.size(); ++r) labels.offsets.push_back(static_cast<Index>(r));
  const TrainingRows rows = testing::rows_of(c.x);
  SiblingSvm svm(children, labels, rows, c.bias);
  const JointSvmResult result =
      svm.solve(c.c, c.weight, {.tolerance = tolerance, .iterations = passes, .seed = seed, .schedule = schedule}, ctx);
  return {svm.weights(), result.primal, result.gap(), std::ssize(result.passes)};
}

// The bias of the result is that of the decision; the weight of the feature is it divided by its value.
Matrix weights(const Case& c, const LinearWeights& found) {
  Matrix w(c.classes, c.x.cols() + 1);
  for (Index m = 0; m < c.classes; ++m) {
    for (Index f = 0; f < c.x.cols(); ++f) w(m, f) = found.w[static_cast<std::size_t>(m)][static_cast<std::size_t>(f)];
    w(m, c.x.cols()) = c.bias == 0 ? 0 : found.bias[static_cast<std::size_t>(m)] / c.bias;
  }
  return w;
}

// The point of {u >= 0, sum u = total} next to u, by sorting.
Vector on_simplex(const Vector& u, double total) {
  std::vector<double> sorted(u.data(), u.data() + u.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - total) / static_cast<double>(k + 1);
    if (candidate <= sorted[k]) shift = candidate;
  }
  return (u.array() - shift).max(0);
}

// The minimum by projected gradient steps with momentum and restarts on the dual, over u = c e_y - a.
double slow_minimum(const Case& c) {
  const Matrix kernel = c.extended() * c.extended().transpose();
  const double bound = kernel.trace();
  const auto gradient = [&](const Matrix& a) {
    Matrix g = kernel * a + Matrix::Ones(a.rows(), a.cols());
    for (Index r = 0; r < a.rows(); ++r) g(r, c.y(r)) -= 1;
    return g;
  };
  Matrix a = Matrix::Zero(c.x.rows(), c.classes);
  Matrix ahead = a;
  double momentum = 1;
  for (int k = 0; k < 20000; ++k) {
    Matrix next = ahead - gradient(ahead) / bound;
    for (Index r = 0; r < a.rows(); ++r) {
      Vector u = -next.row(r).transpose();
      u(c.y(r)) += c.cost(r);
      next.row(r) = -on_simplex(u, c.cost(r)).transpose();
      next(r, c.y(r)) += c.cost(r);
    }
    const Matrix change = next - a;
    const bool overshoots = (ahead - next).cwiseProduct(change).sum() > 0;
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = overshoots ? next : Matrix(next + (momentum - 1) / grown * change);
    momentum = overshoots ? 1 : grown;
    a = next;
    if (overshoots && change.norm() <= 1e-12 * a.norm()) break;
  }
  double linear = 0;
  for (Index r = 0; r < a.rows(); ++r) linear += a.row(r).sum() - a(r, c.y(r));
  return -(a.cwiseProduct(kernel * a).sum() / 2 + linear);
}

TEST(SiblingSvm, ObjectiveIsThatOfProjectedGradients) {
  for (const Case& c : cases()) {
    const double expected = slow_minimum(c);
    EXPECT_NEAR(run(c, 1e-8).objective, expected, 1e-6 * expected) << c.name;
    EXPECT_NEAR(run(c, 1e-8, 1, 100000, JointSchedule::kFast).objective, expected, 1e-6 * expected) << c.name;
  }
}

TEST(SiblingSvm, GapCloses) {
  for (const Case& c : cases()) {
    const Found found = run(c, 1e-9);
    EXPECT_LT(found.gap, 1e-6 * found.objective) << c.name << " after " << found.iterations;
    EXPECT_GT(found.gap, -1e-9 * found.objective) << c.name;
  }
}

// What the result says of itself is true, wherever the solver stops: the objective is that of the weights, and the gap
// is not below the distance to the optimum.
TEST(SiblingSvm, ReportsObjectiveAndGap) {
  for (const Case& c : cases()) {
    const double optimum = run(c, 1e-9).objective;
    for (const int passes : {0, 1, 2, 5, 50}) {
      const Found found = run(c, 1e-6, 1, passes);
      EXPECT_LE(found.iterations, passes);
      EXPECT_NEAR(found.objective, c.primal(weights(c, found.weights)), 1e-9 * found.objective) << c.name;
      EXPECT_GE(found.gap, found.objective - optimum - 1e-6 * optimum) << c.name << " passes " << passes;
    }
  }
}

// Every sample is within the tolerance, so the gap is within the tolerance times the sum of the costs.
TEST(SiblingSvm, ToleranceBoundsTheGap) {
  for (const Case& c : cases()) {
    double costs = 0;
    for (Index r = 0; r < c.x.rows(); ++r) costs += c.cost(r);
    for (const double tolerance : {0.1, 1e-3}) {
      EXPECT_LE(run(c, tolerance).gap, tolerance * costs * (1 + 1e-9)) << c.name;
    }
  }
}

TEST(SiblingSvm, OrderChangesThePathNotTheEnd) {
  for (const Case& c : cases()) {
    const Found a = run(c, 1e-9, 1);
    const Found b = run(c, 1e-9, 2);
    EXPECT_LT((weights(c, a.weights) - weights(c, b.weights)).norm(), 1e-3 * weights(c, a.weights).norm() + 1e-9)
        << c.name;
    const Found again = run(c, 1e-9, 1);
    EXPECT_EQ(again.weights.w, a.weights.w) << c.name;
    EXPECT_EQ(again.weights.bias, a.weights.bias) << c.name;
  }
}

TEST(SiblingSvm, WeightOfTwoIsTheRowTwice) {
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
    const double expected = run(twice, 1e-8).objective;
    EXPECT_NEAR(run(weighted, 1e-8).objective, expected, 1e-6 * expected) << c.name;
  }
}

// Two classes are the support vector machine of the difference w_0 - w_1 = 2 w_0.
TEST(SiblingSvm, TwoClassesAreOpposite) {
  for (const Case& c : cases()) {
    if (c.classes != 2) continue;
    const Matrix w = weights(c, run(c, 1e-9).weights);
    EXPECT_LT((w.row(0) + w.row(1)).norm(), 1e-9 * w.norm() + 1e-12) << c.name;
  }
}

TEST(SiblingSvm, NothingToLearnIsZero) {
  Case zeros{.name = "zeros", .x = Matrix::Zero(3, 2), .label = {0, 1, 1}, .classes = 2, .weight = {}, .c = 2};
  zeros.bias = 0;
  const Found found = run(zeros, 1e-3);
  EXPECT_TRUE(weights(zeros, found.weights).isZero(0));
  EXPECT_EQ(found.objective, 6);
  EXPECT_EQ(found.gap, 0);
  const Case one{.name = "one class", .x = Matrix::Ones(3, 2), .label = {0, 0, 0}, .classes = 1, .weight = {}};
  EXPECT_EQ(run(one, 1e-3).objective, 0);
  EXPECT_EQ(run(one, 1e-3).gap, 0);
  const Case none{.name = "no rows", .x = Matrix::Zero(0, 2), .label = {}, .classes = 3, .weight = {}};
  EXPECT_EQ(run(none, 1e-3).objective, 0);
}

}  // namespace
}  // namespace clade
