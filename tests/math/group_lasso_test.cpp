#include "math/group_lasso.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

#include "core/random.h"
#include "math/proximal_gradient.h"

namespace clade {
namespace {

// A problem by its matrices, for brute force.
struct Case {
  std::string name;
  Matrix z;
  Matrix t;
  Vector ridge;
  Matrix extra;  // empty: none
  double lambda = 1;

  Matrix hessian() const {
    Matrix h = z.transpose() * z;
    h.diagonal() += ridge;
    return h;
  }
  Matrix linear() const {
    Matrix b = z.transpose() * t;
    if (extra.size() > 0) b += extra;
    return b;
  }
  double objective(const Matrix& w) const {
    double sum = (z * w - t).squaredNorm() + w.cwiseProduct(ridge.asDiagonal() * w).sum();
    if (extra.size() > 0) sum -= 2 * w.cwiseProduct(extra).sum();
    for (Index j = 0; j < w.rows(); ++j) sum += lambda * w.row(j).norm();
    return sum;
  }
};

Matrix brute_force(const Case& c) {
  return testing::proximal_gradient(c.hessian(), c.linear(), c.lambda);
}

Matrix normal(Index rows, Index columns, RandomStream& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// Tall and wide; independent and correlated columns; duplicated, constant and zero columns; ridge; shares of lambda_max
// from above 1 to tiny.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int k = 0; k < 60; ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 7});
    const bool wide = k % 2 == 1;
    const Index n = wide ? 8 + k % 7 : 60;
    const Index p = wide ? 30 : 12;
    const Index d = 1 + k % 4;
    Case c;
    c.z = normal(n, p, random);
    if (k % 3 == 1) {
      for (Index j = 1; j < p; ++j) c.z.col(j) = 0.95 * c.z.col(j - 1) + 0.3 * c.z.col(j);
    }
    if (k % 3 == 2) {
      c.z.col(3) = c.z.col(1);
      c.z.col(5).setConstant(1);
      c.z.col(7).setZero();
    }
    c.t = c.z * normal(p, d, random) * 0.3 + normal(n, d, random);
    c.ridge = Vector::Constant(p, k % 4 == 3 ? 0.7 : 0);
    const double shares[] = {0.3, 0.05, 1.1, 0.6, 1e-3};
    const double share = shares[k % 5];
    c.lambda = share * largest_lambda(c.linear());
    c.name = "case " + std::to_string(k);
    all.push_back(c);
  }
  return all;
}

std::vector<std::unique_ptr<QuadraticForm>> forms(const Case& c) {
  std::vector<std::unique_ptr<QuadraticForm>> all;
  all.push_back(gram_form(c.hessian()));
  all.push_back(column_form({.sparse = {}, .dense = c.z, .ridge = c.ridge}));
  all.push_back(column_form({.sparse = c.z.sparseView(), .dense = {}, .ridge = c.ridge}));
  const Index half = c.z.rows() / 2;
  all.push_back(column_form({.sparse = Matrix(c.z.topRows(half)).sparseView(),
                             .dense = c.z.bottomRows(c.z.rows() - half),
                             .ridge = c.ridge}));
  return all;
}

GroupLassoResult run(const Case& c, const QuadraticForm& form, Matrix start, GroupLassoOptions options,
                     int threads = 2) {
  Context ctx({.threads = threads});
  const GroupLassoProblem problem{form, c.linear(), c.extra, c.t.squaredNorm()};
  return minimise(problem, c.lambda, std::move(start), options, ctx);
}

Matrix ones(const Case& c) {
  return Matrix::Ones(c.z.cols(), c.t.cols());
}

TEST(GroupLasso, AgreesWithProximalGradient) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double optimum = c.objective(brute_force(c));
    for (const auto& form : forms(c)) {
      for (const Matrix& start : {ones(c), Matrix(0 * ones(c))}) {
        // Rounding, which depends on the BLAS kernel, stops some of the correlated cases at a gap of 3e-9.
        const GroupLassoResult found = run(c, *form, start, {.tolerance = 5e-9});
        EXPECT_EQ(found.status, GroupLassoStatus::kConverged) << found.certificate.relative_gap();
        EXPECT_NEAR(c.objective(found.weights), optimum, 1e-8 * optimum);
        EXPECT_NEAR(found.certificate.objective, optimum, 1e-8 * optimum);
      }
    }
    if (HasFailure()) return;
  }
}

// Rows are moved in blocks whose products are corrected, with the same result as one after the other.
TEST(GroupLasso, DescentByColumnsIsDescentByTheGram) {
  for (const auto& [rows, width] : {std::pair<Index, Index>{7, 3}, {40, 3}, {40, 8}, {41, 20}}) {
    RandomStream random(1, {kTestStream, 9});
    const Matrix z = normal(rows, 150, random);
    const Matrix linear = z.transpose() * normal(rows, width, random);
    ColumnSet columns{{}, z, Vector::Constant(150, 0.1)};
    Matrix gram = z.transpose() * z;
    gram.diagonal().array() += 0.1;
    Context ctx({.threads = 1});
    std::vector<Index> all(150);
    std::iota(all.begin(), all.end(), Index{0});
    const auto by_gram = gram_form(gram);
    const auto by_columns = column_form(columns);
    const auto block = by_columns->block(all, ctx);
    const double lambda = 0.3 * largest_lambda(linear);
    Matrix expected_w = Matrix::Zero(150, width);
    Matrix expected_g = linear;
    Matrix w = expected_w;
    Matrix g = linear;
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(by_gram->block(all, ctx)->descend(lambda, 2, linear, expected_w, expected_g));
      ASSERT_TRUE(block->descend(lambda, 2, linear, w, g));
      EXPECT_LT((w - expected_w).norm(), 1e-10 * expected_w.norm());
      EXPECT_LT((g - expected_g).norm(), 1e-10 * linear.norm());
    }
    // Many passes are extrapolated: never above what passes alone reach.
    const auto objective = [&](const Matrix& v) {
      return v.cwiseProduct(gram * v - 2 * linear).sum() + lambda * v.rowwise().norm().sum();
    };
    ASSERT_TRUE(by_gram->block(all, ctx)->descend(lambda, 10, linear, expected_w, expected_g));
    ASSERT_TRUE(block->descend(lambda, 10, linear, w, g));
    EXPECT_LE(objective(w), objective(expected_w) + 1e-10 * std::abs(objective(expected_w)));
    EXPECT_LT((linear - gram * w - g).norm(), 1e-10 * linear.norm());
  }
}

TEST(GroupLasso, SolutionHasASubgradientOfZero) {
  for (const Case& c : cases()) {
    const auto form = gram_form(c.hessian());
    const Matrix w = run(c, *form, ones(c), {.tolerance = 1e-13}).weights;
    const Matrix g = c.linear() - c.hessian() * w;
    for (Index j = 0; j < w.rows(); ++j) {
      const double norm = w.row(j).norm();
      if (norm > 0) {
        // Flat objectives (duplicates, tiny lambda) leave the gradient as the square root of the gap.
        EXPECT_LT((g.row(j) - c.lambda / 2 * w.row(j) / norm).norm(), 2e-4 * c.lambda + 1e-7) << c.name << " row " << j;
      } else {
        EXPECT_LE(g.row(j).norm(), c.lambda / 2 * (1 + 1e-4)) << c.name << " row " << j;
      }
    }
  }
}

TEST(GroupLasso, GapIsNeverBelowTheTruth) {
  for (const Case& c : cases()) {
    const double optimum = c.objective(brute_force(c));
    for (const auto& form : forms(c)) {
      for (const int passes : {1, 2, 12, 15, 30}) {
        const GroupLassoResult found = run(c, *form, ones(c), {.tolerance = 1e-12, .passes = passes});
        EXPECT_GE(found.certificate.gap, c.objective(found.weights) - optimum - 1e-12 * c.t.squaredNorm()) << c.name;
      }
    }
    // Of any point at all, not only of those the solver visits.
    RandomStream random(1, {kTestStream, 8});
    for (int k = 0; k < 20; ++k) {
      const Matrix w = normal(c.z.cols(), c.t.cols(), random) * (0.02 * k);
      const Certificate any = certify(c.t.squaredNorm(), c.lambda, c.linear(), {}, w, c.linear() - c.hessian() * w);
      EXPECT_NEAR(any.objective, c.objective(w), 1e-9 * c.objective(w));
      EXPECT_GE(any.gap, c.objective(w) - optimum - 1e-9 * c.objective(w)) << c.name;
    }
  }
}

TEST(GroupLasso, NeverRisesAboveItsStart) {
  for (const Case& c : cases()) {
    for (const auto& form : forms(c)) {
      RandomStream random(2, {kTestStream, 9});
      double last = c.objective(ones(c));
      // More passes never do worse: the objective is monotone on the way.
      for (const int passes : {1, 5, 12, 13, 15, 18, 40, 100}) {
        const double now = c.objective(run(c, *form, ones(c), {.tolerance = 0, .passes = passes}).weights);
        EXPECT_LE(now, last * (1 + 1e-12)) << c.name << " passes " << passes;
        last = now;
      }
      const Matrix start = normal(c.z.cols(), c.t.cols(), random);
      EXPECT_LE(c.objective(run(c, *form, start, {.tolerance = 0.5}).weights), c.objective(start)) << c.name;
    }
  }
}

TEST(GroupLasso, AboveLargestLambdaNothingIsLeft) {
  for (Case c : cases()) {
    c.lambda = largest_lambda(c.linear());
    for (const auto& form : forms(c)) {
      const GroupLassoResult found = run(c, *form, ones(c), {});
      c.lambda *= 1.0000001;
      const GroupLassoResult above = run(c, *form, ones(c), {.tolerance = 0, .passes = 1000});
      EXPECT_TRUE(above.weights.isZero(0)) << c.name;
      EXPECT_EQ(above.certificate.gap, 0) << c.name;
      EXPECT_NEAR(above.certificate.objective, c.t.squaredNorm(), 1e-12 * c.t.squaredNorm());
      c.lambda *= 0.999 / 1.0000001;
      EXPECT_FALSE(run(c, *form, Matrix(0 * ones(c)), {.tolerance = 1e-9}).weights.isZero(0)) << c.name;
      c.lambda /= 0.999;
      EXPECT_EQ(found.status, GroupLassoStatus::kConverged);
    }
  }
}

TEST(GroupLasso, EliminatedRowsAreZeroInTheMinimum) {
  Index eliminated = 0;
  for (const Case& c : cases()) {
    const Matrix optimum = brute_force(c);
    const auto form = gram_form(c.hessian());
    const GroupLassoResult found = run(c, *form, 0 * ones(c), {.tolerance = 1e-9});
    Index zeros = 0;
    for (Index j = 0; j < optimum.rows(); ++j) zeros += optimum.row(j).norm() < 1e-9 ? 1 : 0;
    EXPECT_LE(found.eliminated, zeros) << c.name;
    eliminated += found.eliminated;
  }
  EXPECT_GT(eliminated, 100);
}

TEST(GroupLasso, LinearTermsWithoutASquareAreCertifiedToo) {
  int certified = 0;
  for (Case c : cases()) {
    RandomStream random(3, {kTestStream, 10});
    c.extra = normal(c.z.cols(), c.t.cols(), random);
    c.extra *= 0.2 * c.lambda / largest_lambda(c.extra);
    const double optimum = c.objective(brute_force(c));
    for (const auto& form : forms(c)) {
      const GroupLassoResult found = run(c, *form, ones(c), {.tolerance = 1e-9, .passes = 1000});
      EXPECT_NEAR(c.objective(found.weights), optimum, 1e-6 * std::abs(optimum)) << c.name;
      EXPECT_GE(found.certificate.gap, c.objective(found.weights) - optimum - 1e-9 * c.t.squaredNorm()) << c.name;
      certified += found.status == GroupLassoStatus::kConverged ? 1 : 0;
    }
  }
  EXPECT_GT(certified, 200);
}

TEST(GroupLasso, NoMinimumIsSaid) {
  Case c = cases()[2];
  c.z.col(7).setZero();
  c.extra = Matrix::Zero(c.z.cols(), c.t.cols());
  c.extra(7, 0) = c.lambda;  // nothing holds this row back
  const auto form = gram_form(c.hessian());
  EXPECT_EQ(run(c, *form, 0 * ones(c), {}).status, GroupLassoStatus::kUnbounded);
}

TEST(GroupLasso, NothingToFitIsZero) {
  Case c = cases()[0];
  c.t.setZero();
  c.lambda = 1;
  const auto form = gram_form(c.hessian());
  const GroupLassoResult found = run(c, *form, ones(c), {});
  EXPECT_TRUE(found.weights.isZero(0));
  EXPECT_EQ(found.certificate.relative_gap(), 0);
  const auto empty = column_form({.sparse = {}, .dense = {}, .ridge = c.ridge});
  EXPECT_TRUE(run(c, *empty, ones(c), {}).weights.isZero(0));
}

TEST(GroupLasso, ThreadsChangeNothing) {
  RandomStream random(4, {kTestStream, 11});
  for (const Index n : {700, 60}) {  // tall with several tiles; wide
    Case c;
    c.z = normal(n, 600, random);
    c.t = normal(n, 3, random);
    c.ridge = Vector::Zero(600);
    c.lambda = 0.5 * largest_lambda(c.linear());
    for (const auto& form : forms(c)) {
      const GroupLassoResult one = run(c, *form, ones(c), {}, 1);
      EXPECT_EQ(one.status, GroupLassoStatus::kConverged);
      for (const int threads : {2, 3}) {
        const GroupLassoResult other = run(c, *form, ones(c), {}, threads);
        EXPECT_EQ(one.weights, other.weights);
        EXPECT_EQ(one.certificate.gap, other.certificate.gap);
      }
    }
  }
}

}  // namespace
}  // namespace clade
