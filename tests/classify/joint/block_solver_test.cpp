#include "classify/joint/block_solver.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <memory>

#include "classify/joint/joint_reference.h"
#include "classify/linear/training_rows.h"
#include "how_many.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;
using testing::placed;
using testing::Reference;
using testing::Solved;
using testing::solved;
using testing::Vector;

JointSvmOptions side_by_side(double tolerance, Index block) {
  return {.tolerance = tolerance, .iterations = 200000, .schedule = JointSchedule::kSideBySide, .block = block};
}

// Trees and DAGs, one or several labels.
TEST(BlockSolver, TheOptimumIsThatOfAGeneralSolver) {
  int problems = 0;
  for (int k = 0; problems < testing::how_many(40, 150); ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    if (!is_learnable(full)) continue;
    ++problems;
    const double cost = std::vector{0.1, 1.0, 10.0}[static_cast<std::size_t>(k % 3)];
    const Reference reference(full, cost);
    const double best = reference.solve(1e-8);
    for (const Index block : {1, 3, 100}) {
      const Solved s = solved<double>(c, cost, side_by_side(1e-8, block));
      ASSERT_TRUE(s.result.has_converged) << c.name;
      EXPECT_LE(s.result.violation, 1e-8);
      EXPECT_NEAR(s.result.primal, best, 1e-6 * std::max(1.0, best)) << c.name;
      EXPECT_NEAR(s.result.dual, best, 1e-6 * std::max(1.0, best)) << c.name;
      EXPECT_NEAR(reference.primal(placed(s, full)), s.result.primal, 1e-8 * std::max(1.0, best)) << c.name;
    }
  }
}

// Something like text: few of many features per sample, so that samples are hardly alike.
struct TextCase {
  JointCase c;
  JointData data;
  Vector cost;
};
TextCase text_case(bool is_dag, bool has_several_labels, Context& ctx, Index samples = 600) {
  RandomDataOptions options;
  options.samples = samples;
  options.features = 700;
  options.nodes = 40;
  options.dag = is_dag;
  options.several_labels = has_several_labels;
  options.sparse = true;
  options.density = 0.02;
  options.seed = 5;
  JointCase c{random_dataset(options), {}, "text"};
  JointData data = joint_data_of(c, ctx);
  return {std::move(c), std::move(data), Vector(static_cast<std::size_t>(samples), 1)};
}

template <class T>
struct Run {
  JointVariables variables;
  JointSvmResult result;
  std::vector<std::pair<std::int32_t, T>> weights;  // of all features, one after the other
};
template <class T>
void list_weights(const AttributeWeights<T>& weights, Run<T>& run) {
  for (Index f = 0; f < weights.features(); ++f) {
    weights.for_each(f, [&](std::int32_t z, T value) { run.weights.emplace_back(z, value); });
  }
}
template <class T>
Run<T> run(const TextCase& text, const JointSvmOptions& options, int threads) {
  Context ctx({.threads = threads});
  LinearScores<T> scores(text.data.rows, text.data.problem.attributes.count);
  Run<T> run;
  run.result = solve_joint_svm(text.data.problem, scores, text.cost, run.variables, options, ctx);
  list_weights(scores.weights(), run);
  return run;
}

TEST(BlockSolver, EndsWhereOneSampleAfterTheOtherDoes) {
  Context ctx({.threads = 1});
  for (const bool is_dag : {false, true}) {
    const TextCase text = text_case(is_dag, is_dag, ctx);
    EXPECT_GE(samples_of_block(text.data.rows), 16);  // so that it is what the fast schedule does
    for (const double tolerance : {0.1, 1e-5}) {
      const auto fast = run<double>(text, {.tolerance = tolerance}, 2).result;
      const auto ordered = run<double>(text, {.tolerance = tolerance, .schedule = JointSchedule::kInOrder}, 2).result;
      ASSERT_TRUE(fast.has_converged && ordered.has_converged);
      EXPECT_LE(fast.violation, tolerance);
      EXPECT_LE(fast.dual, ordered.primal);
      EXPECT_LE(ordered.dual, fast.primal);
      EXPECT_NEAR(fast.dual, ordered.dual, 10 * tolerance * tolerance * std::max(1.0, ordered.dual));
      EXPECT_LE(fast.gap(), 4 * ordered.gap() + 1e-9 * ordered.dual);
      // What is summed up while the weights move is what is measured in the end.
      EXPECT_NEAR(fast.passes.back().dual, fast.dual, 1e-9 * fast.dual);
      EXPECT_NEAR(fast.passes.back().primal, fast.primal, 1e-6 * fast.primal);
      EXPECT_EQ(fast.passes.back().active, fast.active);
    }
  }
}

template <class T>
void expect_same_for_any_threads(const TextCase& text, const JointSvmOptions& options) {
  const Run<T> one = run<T>(text, options, 1);
  for (const int threads : {2, 3}) {
    const Run<T> more = run<T>(text, options, threads);
    EXPECT_EQ(one.weights, more.weights);
    EXPECT_EQ(one.result.dual, more.result.dual);
    EXPECT_EQ(one.result.primal, more.result.primal);
    EXPECT_EQ(one.result.violation, more.result.violation);
    EXPECT_EQ(one.result.passes.size(), more.result.passes.size());
    ASSERT_EQ(one.variables.size(), more.variables.size());
    for (std::size_t i = 0; i < one.variables.size(); ++i) {
      ASSERT_EQ(one.variables[i].size(), more.variables[i].size());
      for (std::size_t p = 0; p < one.variables[i].size(); ++p) {
        EXPECT_EQ(one.variables[i][p].share, more.variables[i][p].share);
      }
    }
  }
}

TEST(BlockSolver, ThreadsChangeNothing) {
  Context ctx({.threads = 1});
  const TextCase text = text_case(true, true, ctx);
  for (const Index block : {5, 64}) {
    expect_same_for_any_threads<float>(text, side_by_side(0.1, block));
    expect_same_for_any_threads<double>(text, side_by_side(1e-4, block));
  }
}

// All samples correct the same weights: blocks go too far, and the others take over in the end.
TEST(BlockSolver, AStrongConstantFeatureEnds) {
  Context ctx({.threads = 1});
  TextCase text = text_case(false, false, ctx, 150);
  text.data.rows = with_constant(text.data.rows, 10);
  EXPECT_GT(crowding(text.data.rows), 0.9);
  EXPECT_EQ(samples_of_block(text.data.rows), 0);
  const auto expected =
      run<double>(text, {.tolerance = 0.05, .iterations = 20000, .schedule = JointSchedule::kInOrder}, 2).result;
  ASSERT_TRUE(expected.has_converged);
  for (const Index block : {16, 128}) {
    const auto found = run<double>(text, side_by_side(0.05, block), 2).result;
    ASSERT_TRUE(found.has_converged);
    EXPECT_LE(found.dual, expected.primal);
    EXPECT_LE(expected.dual, found.primal);
  }
}

TEST(BlockSolver, TheDualNeverFalls) {
  Context ctx({.threads = 1});
  TextCase text = text_case(false, true, ctx);
  for (const double constant : {0.0, 0.5, 3.0}) {
    TextCase with = text;
    with.data.rows = with_constant(text.data.rows, constant);
    const auto found = run<double>(with, side_by_side(1e-3, 200), 2).result;
    ASSERT_TRUE(found.has_converged);
    for (std::size_t k = 1; k < found.passes.size(); ++k) {
      EXPECT_GE(found.passes[k].dual, found.passes[k - 1].dual - 1e-9 * found.dual) << constant;
    }
  }
}

TEST(BlockSolver, AWarmStartEndsWhereAColdOneDoes) {
  Context ctx({.threads = 2});
  const TextCase text = text_case(false, false, ctx);
  LinearScores<double> scores(text.data.rows, text.data.problem.attributes.count);
  JointVariables variables;
  for (const double c : {0.1, 1.0, 5.0}) {
    const Vector cost(text.cost.size(), c);
    const JointSvmOptions options = side_by_side(1e-4, 64);
    const auto warm = solve_joint_svm(text.data.problem, scores, cost, variables, options, ctx);
    TextCase cold = text;
    cold.cost = cost;
    const auto expected = run<double>(cold, options, 2).result;
    ASSERT_TRUE(warm.has_converged && expected.has_converged);
    EXPECT_NEAR(warm.primal, expected.primal, 1e-4 * expected.primal);
    EXPECT_NEAR(warm.dual, expected.dual, 1e-4 * expected.dual);
    EXPECT_NEAR(warm.passes.back().dual, warm.dual, 1e-9 * warm.dual);
  }
}

TEST(BlockSolver, TheLimitOfPassesIsAnAnswer) {
  Context ctx({.threads = 2});
  const TextCase text = text_case(false, false, ctx);
  JointSvmOptions options = side_by_side(1e-6, 64);
  options.iterations = 2;
  const auto found = run<double>(text, options, 2).result;
  EXPECT_FALSE(found.has_converged);
  EXPECT_EQ(found.passes.size(), 2U);
  EXPECT_GT(found.violation, 1e-6);
  EXPECT_GT(found.gap(), 0);
}

TEST(BlockSolver, CanBeCancelled) {
  Context plain({.threads = 1});
  const TextCase text = text_case(false, false, plain);
  const auto token = std::make_shared<CancelToken>();
  token->cancel();
  Context ctx({.threads = 2, .cancel = token});
  LinearScores<double> scores(text.data.rows, text.data.problem.attributes.count);
  JointVariables variables;
  EXPECT_THROW(solve_joint_svm(text.data.problem, scores, text.cost, variables, side_by_side(0.1, 64), ctx), Error);
}

TEST(Crowding, IsOneForEqualSamplesAndLittleForStrangers) {
  TrainingRows equal;
  TrainingRows strangers;
  for (std::int32_t k = 0; k < 50; ++k) {
    for (const std::int32_t f : {0, 1}) {
      equal.columns.push_back(f);
      equal.values.push_back(f == 0 ? 3 : -4);
      strangers.columns.push_back(2 * k + f);
      strangers.values.push_back(f == 0 ? 3 : -4);
    }
    equal.offsets.push_back(std::ssize(equal.columns));
    strangers.offsets.push_back(std::ssize(strangers.columns));
  }
  equal.features = {0, 1};
  for (FeatureIndex f = 0; f < 100; ++f) strangers.features.push_back(f);
  EXPECT_NEAR(crowding(equal), 1, 1e-12);
  EXPECT_NEAR(crowding(strangers), 1.0 / 50, 1e-12);
  EXPECT_EQ(samples_of_block(equal), 0);
  EXPECT_EQ(crowding(TrainingRows{}), 0);
}

}  // namespace
}  // namespace clade
