#include "classify/linear/row_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "classify/linear/multinomial_logistic.h"
#include "classify/linear/one_vs_rest.h"
#include "classify/linear/random_rows.h"
#include "classify/linear/row_loss.h"

namespace clade {
namespace {

using Eigen::MatrixXd;

struct Case {
  MatrixXd x;
  std::vector<std::int32_t> label;
  Index classes = 4;
  std::vector<double> weight;
};

Case random_case(double share, bool is_weighted) {
  RandomStream random(5, {kTestStream, 82});
  Case c;
  c.x = testing::random_matrix(160, 12, share, random);
  c.label = testing::random_classes(c.x, c.classes, 1.5, random);
  if (is_weighted) {
    for (Index r = 0; r < c.x.rows(); ++r) c.weight.push_back(0.5 + random.uniform());
  }
  return c;
}

RowBlocks blocks_of(const Case& c, Team& team, int count) {
  RowBlocks blocks{BlockSums(team, count), {}, {}};
  for (Index r = 0; r < count; ++r) {
    const Index begin = r * c.x.rows() / count;
    const Index rows = (r + 1) * c.x.rows() / count - begin;
    RowBlocks::Block& block = blocks.own.emplace_back();
    block.rows = testing::rows_of(c.x.middleRows(begin, rows));
    block.table.offsets = {0};
    for (Index k = begin; k < begin + rows; ++k) {
      block.table.columns.push_back(c.label[static_cast<std::size_t>(k)]);
      block.table.offsets.push_back(std::ssize(block.table.columns));
      if (!c.weight.empty()) block.weight.push_back(c.weight[static_cast<std::size_t>(k)]);
    }
  }
  blocks.features = blocks.own[0].rows.features;
  return blocks;
}

double largest_difference(const LinearWeights& a, const LinearWeights& b) {
  double most = 0;
  for (std::size_t m = 0; m < a.w.size(); ++m) {
    for (std::size_t f = 0; f < a.w[m].size(); ++f) most = std::max(most, std::abs(a.w[m][f] - b.w[m][f]));
  }
  return most;
}

RowClasses classes_of(const RowBlocks::Block& block) {
  return {block.table.offsets, block.table.columns};
}

// The solution of another program for the same problem.
TEST(RowBlocks, SoftmaxIsThatOfNewtonSteps) {
  for (const double share : {0.2, 1.0}) {
    for (const bool is_weighted : {false, true}) {
      const Case c = random_case(share, is_weighted);
      Context ctx({.threads = 2});
      Team team(std::make_shared<Alone>());
      const RowBlocksResult found = minimise_over_blocks(
          blocks_of(c, team, 8), c.classes,
          [&](const RowBlocks::Block& block) {
            return std::make_unique<SoftmaxLoss>(classes_of(block), c.classes, block.weight, 2.0);
          },
          {.tolerance = 1e-9, .iterations = 1000}, ctx);
      EXPECT_TRUE(found.has_converged);
      const LogisticResult other =
          multinomial_logistic(testing::rows_of(c.x), c.label, c.classes, c.weight,
                               {.c = 2, .has_bias = true, .tolerance = 1e-9, .iterations = 1000}, ctx);
      EXPECT_LT(largest_difference(found.weights, other.weights), 1e-5) << share;
    }
  }
}

// That of coordinate descent in the dual.
TEST(RowBlocks, SquaredHingeIsThatOfTheDual) {
  for (const bool is_weighted : {false, true}) {
    const Case c = random_case(0.5, is_weighted);
    Context ctx({.threads = 2});
    Team team(std::make_shared<Alone>());
    const RowBlocksResult found = minimise_over_blocks(
        blocks_of(c, team, 4), c.classes,
        [&](const RowBlocks::Block& block) {
          return std::make_unique<SquaredHingeLoss>(classes_of(block), block.weight, 0.7);
        },
        {.has_bias = false, .tolerance = 1e-9, .iterations = 1000}, ctx);
    EXPECT_TRUE(found.has_converged);
    const SingleClasses labels(c.label);
    const OneVsRestResult other = one_vs_rest_dual(
        testing::rows_of(c.x), labels.classes(), c.classes, c.weight, {},
        {.c = 0.7, .loss = Loss::kSquaredHinge, .bias = 0, .tolerance = 1e-9, .iterations = 10'000}, ctx);
    EXPECT_LT(largest_difference(found.weights, other.weights), 1e-5);
  }
}

// Several classes of a row: the mean of their scores.
TEST(RowBlocks, SoftmaxOfSeveralClassesIsShared) {
  const std::vector<Index> offsets{0, 2};
  const std::vector<std::int32_t> classes{0, 2};
  const SoftmaxLoss loss({offsets, classes}, 3, {}, 1.5);
  const std::vector<double> at{0.3, -1, 2};
  std::vector<double> slope = at;
  const double value = loss.derivatives(0, slope);
  const double all = std::log(std::exp(0.3) + std::exp(-1) + std::exp(2));
  EXPECT_NEAR(value, 1.5 * (all - (0.3 + 2) / 2), 1e-12);
  for (std::size_t m = 0; m < 3; ++m) {
    std::vector<double> above = at;
    std::vector<double> below = at;
    constexpr double kStep = 1e-5;
    above[m] += kStep;
    below[m] -= kStep;
    EXPECT_NEAR((loss.derivatives(0, above) - loss.derivatives(0, below)) / (2 * kStep), slope[m], 1e-8);
  }
}

}  // namespace
}  // namespace clade
