#include "math/assignment.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

double total(const std::vector<double>& costs, const std::vector<Index>& column_of, Index columns) {
  double sum = 0;
  for (std::size_t row = 0; row < column_of.size(); ++row) {
    sum += costs[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column_of[row])];
  }
  return sum;
}

void expect_own_columns(const std::vector<Index>& column_of, Index rows, Index columns) {
  ASSERT_EQ(std::ssize(column_of), rows);
  std::vector<bool> taken(static_cast<std::size_t>(columns), false);
  for (const Index column : column_of) {
    ASSERT_GE(column, 0);
    ASSERT_LT(column, columns);
    EXPECT_FALSE(taken[static_cast<std::size_t>(column)]);
    taken[static_cast<std::size_t>(column)] = true;
  }
}

// Over all orders of the columns, of which the first `rows` are taken.
double least_by_brute_force(const std::vector<double>& costs, Index rows, Index columns) {
  std::vector<Index> order(static_cast<std::size_t>(columns));
  std::iota(order.begin(), order.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, total(costs, {order.begin(), order.begin() + rows}, columns));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const Index columns = 1 + random.below(6);
    const Index rows = 1 + random.below(columns);
    const Index kind = random.below(4);
    std::vector<double> costs;
    for (Index k = 0; k < rows * columns; ++k) {
      switch (kind) {
        case 0:  // ties in plenty
          costs.push_back(static_cast<double>(random.below(3)));
          break;
        case 1:
          costs.push_back(static_cast<double>(random.below(21) - 10));
          break;
        case 2:  // mostly one value, as in a table of counts
          costs.push_back(random.below(4) == 0 ? -static_cast<double>(random.below(9)) : 0.0);
          break;
        default:
          costs.push_back(random.normal() * 100);
      }
    }
    const std::vector<Index> column_of = least_cost_assignment(costs, rows, columns);
    expect_own_columns(column_of, rows, columns);
    EXPECT_NEAR(total(costs, column_of, columns), least_by_brute_force(costs, rows, columns), 1e-9)
        << rows << " x " << columns << ", repeat " << repeat;
  }
}

TEST(Assignment, LargerOnesAreThoseOfScipy) {
  struct Case {
    Index rows, columns;
    double total;
  };
  // scipy.optimize.linear_sum_assignment (1.10) on the same matrices.
  for (const Case& c : {Case{60, 60, -16485}, Case{60, 90, -17209}, Case{150, 200, -44388}, Case{1, 50, -300},
                        Case{300, 300, -88886}}) {
    std::vector<double> costs;
    for (Index i = 0; i < c.rows; ++i) {
      for (Index j = 0; j < c.columns; ++j) {
        costs.push_back(static_cast<double>((i * i * 131 + j * j * 71 + i * j * 37) % 997 - 300));
      }
    }
    const std::vector<Index> column_of = least_cost_assignment(costs, c.rows, c.columns);
    expect_own_columns(column_of, c.rows, c.columns);
    EXPECT_EQ(total(costs, column_of, c.columns), c.total) << c.rows << " x " << c.columns;
  }
}

TEST(Assignment, NothingToAssignIsNoError) {
  EXPECT_TRUE(least_cost_assignment({}, 0, 0).empty());
  EXPECT_TRUE(least_cost_assignment({}, 0, 5).empty());
}

TEST(Assignment, WhatDoesNotFitIsABug) {
  const std::vector<double> costs{1, 2, 3, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(least_cost_assignment(costs, 2, 2), Error);
  EXPECT_THROW(least_cost_assignment(std::span(costs).first(2), 2, 1), Error);
  EXPECT_THROW(least_cost_assignment(std::span(costs).first(3), 2, 2), Error);
}

}  // namespace
}  // namespace clade
