#include "select/recursive/logistic_loss.h"

#include <clade/select.h>
#include <gtest/gtest.h>

#include <cmath>

#include "how_many.h"
#include "select/naive.h"
#include "select/recursive/hirr.h"
#include "select/recursive/solver.h"
#include "select/selector_support.h"

namespace clade {
namespace {

using testing::NaiveMatrix;
using testing::NaiveNode;
using testing::run_selector;

// Those with a coupling that is a sum of squares.
constexpr const char* kFalling[] = {"hier-fs", "hirr-par", "hirr-sib", "hirr-fam", "hfsgr", "fs-mc"};

// Tall and wide nodes, trees and DAGs, one label per sample or several.
Dataset logistic_problem(int k) {
  RandomDataOptions options = testing::random_problem_options(k);
  options.inner_labels = k % 3 == 0;
  options.samples = k % 3 == 1 ? 14 : 50;
  options.features = k % 3 == 1 ? 24 : 7;
  return with_leaf_labels(random_dataset(options));
}

// The loss of a node, sample by sample and child by child.
double naive_loss(const NaiveNode& node, const NaiveMatrix& w) {
  const NaiveMatrix y = node.y.leftCols(node.classes);
  const bool is_multinomial = node.x.rows() == 0 || (y.rowwise().sum().array() == 1).all();
  double loss = 0;
  for (Index r = 0; r < node.x.rows(); ++r) {
    const Eigen::RowVectorXd scores = node.x.row(r) * w;
    double sum = 0;
    for (Index c = 0; c < w.cols(); ++c) {
      if (c >= node.classes) {
        loss += (is_multinomial ? 0.25 : 0.125) * scores(c) * scores(c);
        continue;
      }
      loss -= y(r, c) * scores(c);
      sum += std::exp(scores(c));
      if (!is_multinomial) loss += std::log(1 + std::exp(scores(c)));
    }
    if (is_multinomial) loss += std::log(sum);
  }
  return loss;
}

// All but the penalty.
double naive_smooth(const testing::NaiveProblem& problem, const Weights& w, double alpha, double beta) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    sum += naive_loss(problem.nodes[i], w[i]);
    for (const std::size_t parent : problem.nodes[i].parents) sum += alpha * (w[i] - w[parent]).squaredNorm();
    for (const std::size_t sibling : problem.nodes[i].siblings) {
      sum += beta * (testing::naive_centre(w[sibling]).transpose() * w[i]).squaredNorm();
    }
  }
  return sum;
}

SolverResult solve_logistic(const Problem& problem, double alpha, double beta, const SolverOptions& options,
                            Context& ctx) {
  LogisticLoss method(std::make_unique<Hirr>(Hirr::Coupling{.alpha = alpha, .beta = beta}));
  Weights start(problem.size(), Matrix::Ones(problem.features(), problem.width()));
  return solve(problem, method, std::move(start), options, ctx);
}

// At the minimum the gradient of the smooth part is -lambda w / ||w|| for a row with a weight, and no longer than
// lambda for a row without one.
TEST(LogisticLoss, WeightsSatisfyTheConditionsOfAMinimum) {
  constexpr double kLambda = 0.7;
  for (int k = 0; k < testing::how_many(4, 12); ++k) {
    const Dataset data = logistic_problem(k);
    const std::vector<NodeTable> tables = node_tables(data);
    Context ctx({.threads = 2});
    const Problem problem(data, tables, ctx);
    const testing::NaiveProblem naive = testing::naive_problem(data);
    const double alpha = k % 2 == 0 ? 0 : 0.5;
    const double beta = k % 4 == 3 ? 0.3 : 0;
    SCOPED_TRACE(k);
    SolverOptions options{.lambda = kLambda, .smallest_norm = 1e-12, .iterations = 1500};
    options.order = solving_order(problem, SolvingOrder::kTopological);
    const SolverResult found = solve_logistic(problem, alpha, beta, options, ctx);
    Weights w = found.weights;
    double penalty = 0;
    for (const Matrix& own : w) penalty += kLambda * own.rowwise().norm().sum();
    EXPECT_NEAR(found.objective.back(), naive_smooth(naive, w, alpha, beta) + penalty,
                1e-9 * std::abs(found.objective.back()));
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (Index f = 0; f < problem.features(); ++f) {
        Eigen::RowVectorXd gradient(problem.width());
        for (Index c = 0; c < problem.width(); ++c) {
          constexpr double kStep = 1e-5;
          const double at = w[i](f, c);
          w[i](f, c) = at + kStep;
          const double above = naive_smooth(naive, w, alpha, beta);
          w[i](f, c) = at - kStep;
          gradient(c) = (above - naive_smooth(naive, w, alpha, beta)) / (2 * kStep);
          w[i](f, c) = at;
        }
        const double norm = w[i].row(f).norm();
        if (norm > 1e-3) {
          EXPECT_LT((gradient + kLambda * w[i].row(f) / norm).norm(), 2e-3) << "node " << i << " feature " << f;
        } else {
          EXPECT_LT(gradient.norm(), kLambda * 1.01) << "node " << i << " feature " << f;
        }
      }
    }
  }
}

TEST(LogisticLoss, ObjectivesFallMonotonically) {
  for (const std::string method : kFalling) {
    for (int k = 0; k < 12; ++k) {
      const FeatureRanking ranking =
          run_selector(method, logistic_problem(k), {{"loss", "logistic"}, {"lambda", "0.5"}, {"iterations", "30"}});
      for (std::size_t t = 1; t < ranking.objective.size(); ++t) {
        EXPECT_LE(ranking.objective[t], ranking.objective[t - 1] + 1e-9 * std::abs(ranking.objective[t - 1]))
            << method << " case " << k << " iteration " << t;
      }
    }
  }
}

TEST(LogisticLoss, ThreadsChangeNothing) {
  for (const std::string method : {"hier-fs", "hirr-fam", "lccshfs", "fs-mgkc"}) {
    for (const int k : {0, 3, 4}) {
      const Dataset data = logistic_problem(k);
      const Parameters parameters{{"loss", "logistic"}, {"iterations", "3"}, {"alpha", "0.01"}};
      const Parameters own = method == "hier-fs" ? Parameters{{"loss", "logistic"}} : parameters;
      const FeatureRanking one = run_selector(method, data, own, 1);
      for (const int threads : {2, 3}) {
        const FeatureRanking other = run_selector(method, data, own, threads);
        EXPECT_EQ(one.objective, other.objective) << method;
        for (std::size_t i = 0; i < one.nodes.size(); ++i) EXPECT_EQ(one.nodes[i].weight, other.nodes[i].weight);
      }
    }
  }
}

// Scores of several hundreds would overflow in exp().
TEST(LogisticLoss, LargeValuesAreNoTrouble) {
  Dataset::Parts parts = random_parts({.samples = 40, .features = 5});
  auto& values = std::get<DenseMatrix<double>>(parts.features).values;
  for (Index k = 0; k < 200; ++k) values[k] *= 1e6;
  const Dataset data = with_leaf_labels(Dataset(std::move(parts)));
  const FeatureRanking ranking = run_selector("hier-fs", data, {{"loss", "logistic"}});
  for (const double value : ranking.objective) EXPECT_TRUE(std::isfinite(value));
}

TEST(LogisticLoss, WhatItCannotDoIsRefused) {
  for (const auto& [name, value] :
       {std::pair{"as-published", "true"}, {"solver", "exact"}, {"path", "5"}, {"select-lambda", "cv"}}) {
    const SelectOptions options{.method = "hier-fs", .parameters = {{"loss", "logistic"}, {name, value}}};
    EXPECT_THROW(check_request(options), Error) << name;
  }
  for (const char* method : {"hfscn", "hfsdk"}) {
    EXPECT_THROW(check_request({.method = method, .parameters = {{"loss", "logistic"}}}), Error) << method;
  }
}

}  // namespace
}  // namespace clade
