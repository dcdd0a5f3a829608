#include "classify/joint/sample_dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "classify/joint/joint_cases.h"

namespace clade {
namespace {

using Vector = std::vector<double>;

// One sample's problem in full: x is one number, so w has one number per attribute and outputs are w x.
struct OneSample {
  JointProblem problem;
  std::vector<PairVariable> variables;
  Vector weights;  // w_0, without the sample's own variables
  double x = 0;
  double cost = 0;

  Vector weights_with(const std::vector<PairVariable>& shares) const {
    Vector w = weights;
    for (const PairVariable& v : shares) {
      for (const auto& [y, sign] : {std::pair{v.own, 1.0}, {v.other, -1.0}}) {
        const auto index = problem.attributes.index_of(y);
        for (std::size_t k = 0; k < index.size(); ++k) {
          w[static_cast<std::size_t>(index[k])] += sign * v.share * v.loss * problem.attributes.value_of(y)[k] * x;
        }
      }
    }
    return w;
  }
  double objective(const std::vector<PairVariable>& shares) const {
    double total = 0;
    for (const PairVariable& v : shares) total += v.share * v.loss;
    for (const double w : weights_with(shares)) total -= w * w / 2;
    return total;
  }
  Vector gradients(const std::vector<PairVariable>& shares) const {
    const Vector w = weights_with(shares);
    const auto score = [&](std::int32_t y) {
      const auto index = problem.attributes.index_of(y);
      double sum = 0;
      for (std::size_t k = 0; k < index.size(); ++k) {
        sum += problem.attributes.value_of(y)[k] * w[static_cast<std::size_t>(index[k])] * x;
      }
      return sum;
    };
    Vector result;
    for (const PairVariable& v : shares) result.push_back(v.loss * (1 - score(v.own) + score(v.other)));
    return result;
  }
};

OneSample random_sample(int k, Index pairs) {
  RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 41});
  const Taxonomy taxonomy = random_taxonomy(12, k % 2 == 1, static_cast<std::uint64_t>(k) + 5);
  std::vector<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
  OneSample one{
      {classes, path_attributes(taxonomy, classes, k % 3 == 0), ClassLoss::tree(taxonomy, classes), {}}, {}, {}, 0, 0};
  one.x = k % 7 == 6 ? 0 : 0.2 + random.uniform();
  one.cost = std::vector{0.05, 0.5, 20.0}[static_cast<std::size_t>(k % 3)];
  for (Index z = 0; z < one.problem.attributes.count; ++z) one.weights.push_back(0.5 * random.normal());
  const auto q = std::ssize(classes);
  // The first classes are the sample's own, the others not.
  const Index own = 1 + k % 2;
  for (Index y = 0; y < own && y < q; ++y) {
    for (Index r = own; r < q && std::ssize(one.variables) < pairs; ++r) {
      one.variables.push_back(
          {static_cast<std::int32_t>(y), static_cast<std::int32_t>(r), one.problem.loss.of(y, r), 0});
    }
  }
  // Half of the cases begin somewhere inside.
  if (k % 4 >= 2) {
    for (PairVariable& v : one.variables) v.share = one.cost / static_cast<double>(one.variables.size() + 1);
  }
  return one;
}

SampleDual::Outcome solve(const OneSample& one, std::vector<PairVariable>& variables, SampleDual& dual,
                          double tolerance, int steps = 1000000) {
  Vector output = one.weights_with(variables);
  for (double& v : output) v *= one.x;
  LocalPairs local;
  dual.arrange(variables, local);
  return dual.solve(variables, local, [&](std::int32_t z) { return output[static_cast<std::size_t>(z)]; },
                    {one.x * one.x, one.cost, tolerance, steps});
}

TEST(SampleDual, FindsNothingWorseThanAnyPointOfAGrid) {
  constexpr int kGrid = 40;
  for (int k = 0; k < 60; ++k) {
    const OneSample one = random_sample(k, 3);
    if (one.variables.empty()) continue;
    SampleDual dual(one.problem);
    std::vector<PairVariable> found = one.variables;
    solve(one, found, dual, 1e-12);
    const double best = one.objective(found);
    std::vector<PairVariable> tried = one.variables;
    for (int a = 0; a <= kGrid; ++a) {
      for (int b = 0; a + b <= kGrid; ++b) {
        for (int c = 0; a + b + c <= kGrid; ++c) {
          const int part[] = {a, b, c};
          for (std::size_t p = 0; p < tried.size(); ++p) tried[p].share = one.cost * part[p] / kGrid;
          ASSERT_LE(one.objective(tried), best + 1e-10) << k;
        }
      }
    }
  }
}

TEST(SampleDual, MeetsTheOptimalityConditionsOfManyPairs) {
  for (int k = 0; k < 120; ++k) {
    const OneSample one = random_sample(k, 30);
    if (one.variables.empty()) continue;
    SampleDual dual(one.problem);
    std::vector<PairVariable> found = one.variables;
    const double tolerance = k % 2 == 0 ? 1e-10 : 0.05;
    solve(one, found, dual, tolerance);
    double sum = 0;
    for (const PairVariable& v : found) {
      EXPECT_GE(v.share, 0);
      sum += v.share;
    }
    EXPECT_LE(sum, one.cost * (1 + 1e-12));
    const Vector h = one.gradients(found);
    double most = 0;
    double least = is_exhausted(sum, one.cost) ? std::numeric_limits<double>::infinity() : 0;
    for (std::size_t p = 0; p < found.size(); ++p) {
      most = std::max(most, h[p]);
      if (found[p].share > 0) least = std::min(least, h[p]);
    }
    EXPECT_LE(most - least, tolerance + 1e-10) << k;
  }
}

TEST(SampleDual, WhatItReportsIsTrue) {
  for (int k = 0; k < 120; ++k) {
    const OneSample one = random_sample(k, 30);
    if (one.variables.empty()) continue;
    SampleDual dual(one.problem);
    std::vector<PairVariable> found = one.variables;
    // A few steps only, as in training.
    const SampleDual::Outcome outcome = solve(one, found, dual, 1e-9, 1 + k % 5);
    const Vector before = one.weights_with(one.variables);
    const Vector after = one.weights_with(found);
    double square = 0;
    Vector changed = before;
    std::int32_t last = -1;
    for (const AttributeChange& c : dual.changes()) {
      EXPECT_GT(c.attribute, last);
      EXPECT_NE(c.value, 0);
      last = c.attribute;
      changed[static_cast<std::size_t>(c.attribute)] += c.value * one.x;
    }
    for (std::size_t z = 0; z < after.size(); ++z) {
      EXPECT_NEAR(changed[z], after[z], 1e-10);
      square += after[z] * after[z] - before[z] * before[z];
    }
    double linear = 0;
    for (std::size_t p = 0; p < found.size(); ++p) {
      linear += (found[p].share - one.variables[p].share) * found[p].loss;
    }
    EXPECT_NEAR(outcome.linear, linear, 1e-10);
    EXPECT_NEAR(outcome.square, square, 1e-9);
    EXPECT_GE(one.objective(found), one.objective(one.variables) - 1e-12);
    EXPECT_LE(outcome.steps, 1 + k % 5);
    // The violation is that of the start.
    const Vector h = one.gradients(one.variables);
    double most = 0;
    double least = 0;  // the starts leave a part of the cost unused
    for (std::size_t p = 0; p < h.size(); ++p) {
      most = std::max(most, h[p]);
      if (one.variables[p].share > 0) least = std::min(least, h[p]);
    }
    EXPECT_NEAR(outcome.violation, most - least, 1e-10);
  }
}

// Attributes of a group belong to the same classes; those that tell no two classes apart are left out.
TEST(SampleDual, GroupsTheAttributesOfTheSameClasses) {
  for (int k = 0; k < 60; ++k) {
    const OneSample one = random_sample(k, 7);
    if (one.variables.empty()) continue;
    const ClassAttributes& attributes = one.problem.attributes;
    std::set<std::int32_t> classes;
    for (const PairVariable& v : one.variables) classes.insert({v.own, v.other});
    std::map<std::int32_t, std::set<std::int32_t>> having;  // attribute -> classes
    for (const std::int32_t y : classes) {
      for (const std::int32_t z : attributes.index_of(y)) having[z].insert(y);
    }
    SampleDual dual(one.problem);
    std::vector<std::int32_t> named;
    dual.attributes_of(one.variables, named);
    EXPECT_EQ(named.size(), having.size());
    for (const std::int32_t z : named) EXPECT_TRUE(having.contains(z));
    const bool has_one_value = k % 3 != 0;  // else each class has its own
    if (has_one_value) std::erase_if(having, [&](const auto& entry) { return entry.second == classes; });
    LocalPairs local;
    dual.arrange(one.variables, local);
    ASSERT_EQ(local.attributes.size(), having.size()) << k;
    EXPECT_TRUE(std::ranges::is_sorted(local.attributes));
    for (std::size_t a = 0; a < local.attributes.size(); ++a) {
      ASSERT_TRUE(having.contains(local.attributes[a]));
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_EQ(local.group_of[a] == local.group_of[b], having[local.attributes[a]] == having[local.attributes[b]]);
      }
    }
    EXPECT_EQ(local.classes.size(), classes.size());
    EXPECT_EQ(std::accumulate(local.group_size.begin(), local.group_size.end(), 0.0), std::ssize(local.attributes));
  }
}

TEST(SampleDual, DropsVariablesThatAreZeroTogetherWithTheirPairs) {
  OneSample one = random_sample(8, 6);
  SampleDual dual(one.problem);
  LocalPairs local;
  dual.arrange(one.variables, local);
  const LocalPairs before = local;
  std::vector<PairVariable> variables = one.variables;
  for (std::size_t p = 0; p < variables.size(); ++p) variables[p].share = p % 2 == 0 ? 0.1 : 0;
  SampleDual::drop_zeros(variables, local);
  ASSERT_EQ(variables.size(), (one.variables.size() + 1) / 2);
  ASSERT_EQ(local.pairs.size(), variables.size());
  for (std::size_t p = 0; p < variables.size(); ++p) {
    EXPECT_EQ(variables[p].other, one.variables[2 * p].other);
    EXPECT_EQ(local.pairs[p].other, before.pairs[2 * p].other);
  }
}

}  // namespace
}  // namespace clade
