#include "classify/joint/pair_dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "classify/joint/joint_cases.h"
#include "core/random.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;

// A sample's pairs with random shares, and random outputs of all attributes.
struct OneSample {
  std::vector<PairVariable> variables;
  std::vector<double> outputs;
  std::vector<double> class_scores;
  double square = 0;
  double cost = 0;
};

OneSample random_sample(const JointProblem& problem, Index i, RandomStream& random) {
  OneSample sample;
  const auto own = problem.labels.of(i);
  for (const std::int32_t y : own) {
    for (std::int32_t r = 0; r < problem.loss.classes(); ++r) {
      if (std::ranges::binary_search(own, r) || random.uniform() < 0.2) continue;
      sample.variables.push_back({y, r, problem.loss.of(y, r), random.uniform() < 0.5 ? 0 : random.uniform()});
      sample.cost += sample.variables.back().share;
    }
  }
  if (random.uniform() < 0.5) sample.cost += random.uniform();
  sample.square = 0.1 + random.uniform();
  for (Index z = 0; z < problem.attributes.count; ++z) sample.outputs.push_back(random.normal());
  sample.class_scores.resize(static_cast<std::size_t>(problem.loss.classes()));
  ClassScorer(problem.attributes).scores(sample.outputs.data(), sample.class_scores.data());
  return sample;
}

double gain(const OneSample& sample, double linear, double slope, const std::vector<AttributeChange>& changes) {
  double length = 0;
  for (const AttributeChange& c : changes) length += c.value * c.value;
  return linear - slope - sample.square * length / 2;
}

TEST(PairDual, GainsWhatTheSolverByAttributesGains) {
  RandomStream random(7, {kTestStream});
  int moved = 0;
  for (int k = 0; k < 120; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    PairDual pairs(data.problem);
    SampleDual attributes(data.problem);
    for (Index i = 0; i < data.rows.rows(); ++i) {
      const OneSample sample = random_sample(data.problem, i, random);
      if (sample.variables.empty()) continue;
      std::vector<PairVariable> by_pair = sample.variables;
      const PairDual::Outcome one =
          pairs.solve(by_pair, sample.class_scores, {sample.square, sample.cost, 1e-10, 100000});
      std::vector<AttributeChange> changes;
      pairs.list_changes(by_pair, changes);

      std::vector<PairVariable> by_attribute = sample.variables;
      LocalPairs local;
      attributes.arrange(by_attribute, local);
      const SampleDual::Outcome other = attributes.solve(
          by_attribute, local, [&](std::int32_t z) { return sample.outputs[static_cast<std::size_t>(z)]; },
          {sample.square, sample.cost, 1e-10, 100000});

      EXPECT_NEAR(one.violation, other.violation, 1e-9);
      const double expected = other.linear - other.square / 2;
      EXPECT_NEAR(gain(sample, one.linear, one.slope, changes), expected, 1e-8 * std::max(1.0, expected)) << c.name;
      moved += changes.empty() ? 0 : 1;
      // The shares are feasible, and the changes are theirs.
      double sum = 0;
      std::map<std::int32_t, double> from_shares;
      for (std::size_t p = 0; p < by_pair.size(); ++p) {
        EXPECT_GE(by_pair[p].share, 0);
        EXPECT_EQ(pairs.shares_before()[p], sample.variables[p].share);
        sum += by_pair[p].share;
        const double change = by_pair[p].loss * (by_pair[p].share - sample.variables[p].share);
        for (const auto& [y, sign] : {std::pair{by_pair[p].own, 1.0}, {by_pair[p].other, -1.0}}) {
          const auto index = data.problem.attributes.index_of(y);
          for (std::size_t z = 0; z < index.size(); ++z) {
            from_shares[index[z]] += sign * change * data.problem.attributes.value_of(y)[z];
          }
        }
      }
      EXPECT_LE(sum, sample.cost * (1 + 1e-12));
      EXPECT_TRUE(std::ranges::is_sorted(changes, {}, &AttributeChange::attribute));
      for (const AttributeChange& change : changes) {
        EXPECT_NEAR(change.value, from_shares[change.attribute], 1e-12);
        from_shares.erase(change.attribute);
      }
      for (const auto& [z, left] : from_shares) EXPECT_NEAR(left, 0, 1e-12);
    }
  }
  EXPECT_GT(moved, 300);
}

TEST(PairDual, ACopySolvesTheSame) {
  Context ctx({.threads = 1});
  const JointData data = joint_data_of(joint_case(0), ctx);
  RandomStream random(8, {kTestStream});
  const OneSample sample = random_sample(data.problem, 0, random);
  PairDual first(data.problem);
  PairDual copy(first);
  std::vector<PairVariable> a = sample.variables;
  std::vector<PairVariable> b = sample.variables;
  first.solve(a, sample.class_scores, {sample.square, sample.cost, 1e-6, 1000});
  copy.solve(b, sample.class_scores, {sample.square, sample.cost, 1e-6, 1000});
  for (std::size_t p = 0; p < a.size(); ++p) EXPECT_EQ(a[p].share, b[p].share);
}

}  // namespace
}  // namespace clade
