#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "data/random_data.h"
#include "select/recursive/hirr.h"
#include "select/recursive/kept_factors.h"
#include "select/recursive/solver.h"

// Large systems are factored in single precision and refined; the same systems in double precision are the reference.
namespace clade {
namespace {

constexpr Index kSamples = 2100;
constexpr Index kTall = 1030;  // features with which all nodes are tall
constexpr Index kWide = 2150;  // those below the root are wide
constexpr Index kTwins = 40;

// Two groups of two classes. The first features of each class are larger; `has_twins`: the last repeat others.
Dataset two_groups(Index features, bool has_twins) {
  TaxonomyBuilder builder;
  for (const std::string group : {"a", "b"}) {
    builder.edge("root", group);
    for (const std::string leaf : {"1", "2"}) builder.edge(group, group + leaf);
  }
  Dataset::Parts parts;
  parts.taxonomy = builder.build();
  RandomStream random(1, {kTestStream, 73});
  DenseMatrix<double> matrix{kSamples, features, Buffer<double>(kSamples * features)};
  for (Index s = 0; s < kSamples; ++s) {
    const Index leaf = s % 4;
    parts.labels.nodes.push_back(parts.taxonomy->leaves()[static_cast<std::size_t>(leaf)]);
    parts.labels.offsets.push_back(s + 1);
    double* const row = &matrix.values[s * features];
    for (Index f = 0; f < features; ++f) row[f] = random.uniform() + (f % 8 == leaf ? 0.3 : 0);
    if (has_twins) std::copy_n(row, kTwins, row + features - kTwins);
  }
  parts.features = std::move(matrix);
  return Dataset(std::move(parts));
}

struct Run {
  double lambda = 10;
  double coupling = 1;
  bool in_double = false;
  int threads = 2;
};
SolverResult run(const Dataset& data, const Run& how) {
  Context ctx({.threads = how.threads});
  const std::vector<NodeTable> tables = node_tables(data);
  const Problem problem(data, tables, ctx);
  Hirr method({.alpha = how.coupling, .beta = how.coupling});
  SolverOptions options{.lambda = how.lambda, .iterations = 4, .in_double = how.in_double};
  options.order = solving_order(problem, SolvingOrder::kTopological);
  Weights start = make_start(problem, Start::kOnes, 0, options.order, false);
  return solve(problem, method, std::move(start), options, ctx);
}

std::vector<Index> ranked(const Matrix& w) {
  const Vector norms = w.rowwise().norm();
  std::vector<Index> order(static_cast<std::size_t>(w.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return norms(a) != norms(b) ? norms(a) > norms(b) : a < b; });
  return order;
}

TEST(SinglePrecision, GivesTheRankingsOfDoublePrecision) {
  for (const Index features : {kTall, kWide}) {
    const Dataset data = two_groups(features, false);
    const SolverResult expected = run(data, {.in_double = true});
    const SolverResult got = run(data, {});
    bool is_same = true;
    for (std::size_t i = 0; i < expected.weights.size(); ++i) {
      EXPECT_EQ(ranked(got.weights[i]), ranked(expected.weights[i])) << features << " node " << i;
      const double largest = expected.weights[i].cwiseAbs().maxCoeff();
      EXPECT_LE((got.weights[i] - expected.weights[i]).cwiseAbs().maxCoeff(), 1e-11 * largest) << features;
      is_same = is_same && got.weights[i] == expected.weights[i];
    }
    EXPECT_FALSE(is_same) << "single precision was not used";
    EXPECT_NEAR(got.objective.back(), expected.objective.back(), 1e-10 * expected.objective.back());
  }
}

TEST(SinglePrecision, DoesNotDependOnThreads) {
  for (const Index features : {kTall, kWide}) {
    const Dataset data = two_groups(features, false);
    const SolverResult one = run(data, {.threads = 1});
    for (const int threads : {2, 3}) {
      const SolverResult several = run(data, {.threads = threads});
      EXPECT_EQ(one.objective, several.objective);
      for (std::size_t i = 0; i < one.weights.size(); ++i) EXPECT_EQ(one.weights[i], several.weights[i]);
    }
  }
}

// Features that repeat others make a matrix nearly singular if penalty and coupling are tiny.
TEST(SinglePrecision, IsGivenUpWhereItCannotBeRefined) {
  const Dataset data = two_groups(kTall, true);
  const SolverResult expected = run(data, {.lambda = 1e-7, .coupling = 1e-7, .in_double = true});
  const SolverResult got = run(data, {.lambda = 1e-7, .coupling = 1e-7});
  // Nodes that fall back are solved by the same operations.
  for (std::size_t i = 0; i < expected.weights.size(); ++i) EXPECT_EQ(got.weights[i], expected.weights[i]) << i;
}

TEST(SinglePrecision, SystemsSolvedAloneAreRefinedToo) {
  for (const bool is_regular : {true, false}) {
    const Dataset data = two_groups(kTall, !is_regular);
    Context ctx({.threads = 2});
    const std::vector<NodeTable> tables = node_tables(data);
    const Problem problem(data, tables, ctx);
    SystemTerms terms;
    terms.diagonal = Vector::Constant(kTall, is_regular ? 5 : 1e-7);
    terms.right = Matrix::Zero(kTall, problem.width());
    Workspaces workspaces;
    const Solution got = solve_system(problem.node(0), terms, workspaces, ctx);
    terms.in_double = true;
    const Solution expected = solve_system(problem.node(0), terms, workspaces, ctx);
    EXPECT_EQ(got.needed_double, !is_regular);
    EXPECT_EQ(got.weights == expected.weights, !is_regular);
    EXPECT_LE((got.weights - expected.weights).cwiseAbs().maxCoeff(), 1e-11);
  }
}

}  // namespace
}  // namespace clade
