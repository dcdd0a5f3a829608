#include "classify/joint/online_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "classify/joint/block_index.h"
#include "classify/joint/joint_cases.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;

using Weights = std::map<std::pair<Index, std::int32_t>, double>;

Weights listed(const AttributeWeights<double>& weights) {
  Weights list;
  for (Index f = 0; f < weights.features(); ++f) {
    weights.for_each(f, [&](std::int32_t z, double value) { list[{f, z}] = value; });
  }
  return list;
}

struct Learnt {
  Weights last;
  Weights lagged;
  OnlineResult result;
};
template <class Scores>
Learnt learnt(const Scores& scores, const OnlineResult& result) {
  const auto& lagged = scores.lagged();
  return {listed(scores.weights()), lagged ? listed(*lagged) : Weights(), result};
}

void expect_near(const Weights& a, const Weights& b, double tolerance, const std::string& name) {
  Weights difference = a;
  for (const auto& [place, value] : b) difference[place] -= value;
  double largest = 0;
  for (const auto& [place, value] : difference) largest = std::max(largest, std::abs(value));
  EXPECT_LT(largest, tolerance) << name;
}

StepRule rule_of(const JointProblem& problem, int number) {
  return number == 0 ? perceptron_rule(problem) : hieron_rule(problem, number == 2);
}

// Two halves in blocks, the second from the state of the first.
template <class Scores>
Learnt learnt_in_blocks(const JointProblem& problem, Scores& scores, const StepRule& rule, OnlineOptions options,
                        Index block, Context& ctx) {
  options.epochs = 2;
  const OnlineResult first = learn_in_blocks(problem, scores, rule, 0, options, block, ctx);
  if (first.updates == 0 || first.epochs < 2) return learnt(scores, first);
  OnlineResult second = learn_in_blocks(problem, scores, rule, first.steps, options, block, ctx);
  second.updates += first.updates;
  return learnt(scores, second);
}

// Trees and DAGs, one and several labels, all rules, weights by feature and by attribute, blocks that divide the
// samples and blocks that do not, sample weights. Where rounding decides, two right programs part: that is rare.
TEST(OnlineBlocks, BlocksLearnWhatOneSampleAfterTheOtherTeaches) {
  int cases = 0;
  int compared = 0;
  for (int k = 0; k < 90; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    Context ctx({.threads = 1 + k % 3});
    const JointData data = joint_data_of(c, ctx);
    const Index attributes = data.problem.attributes.count;
    const StepRule rule = rule_of(data.problem, k % 3);
    std::vector<double> weight;
    for (Index i = 0; k % 4 == 3 && i < data.rows.rows(); ++i) weight.push_back(0.5 + static_cast<double>(i % 3));
    const OnlineOptions options{.epochs = 4, .is_averaged = k % 5 != 4, .weight = weight};
    LinearScores<double> plain(data.rows, attributes);
    const Learnt once = learnt(plain, learn_online(data.problem, plain, rule, 0, options, ctx));
    for (const Index block : {1, 3, 5, 64}) {
      LinearScores<double> by_feature(data.rows, attributes);
      DenseScores<double> by_attribute(data.rows, attributes);
      for (const Learnt& blocks : {learnt_in_blocks(data.problem, by_feature, rule, options, block, ctx),
                                   learnt_in_blocks(data.problem, by_attribute, rule, options, block, ctx)}) {
        ++cases;
        if (blocks.result.updates != once.result.updates || blocks.result.steps != once.result.steps) continue;
        ++compared;
        EXPECT_EQ(blocks.result.is_separated, once.result.is_separated) << c.name;
        expect_near(blocks.last, once.last, 1e-9, c.name);
        expect_near(blocks.lagged, once.lagged, 1e-7, c.name);
      }
    }
  }
  EXPECT_GT(cases, 400);
  EXPECT_GT(compared, cases * 8 / 10) << "of " << cases;
}

// Enough features and nodes for learn_online() to take blocks of its own accord.
JointCase large_case(bool dag, bool several_labels, bool sparse) {
  return {random_dataset({.samples = 333,
                          .features = 260,
                          .nodes = 300,
                          .dag = dag,
                          .several_labels = several_labels,
                          .sparse = sparse,
                          .density = sparse ? 0.2 : 1,
                          .seed = 7}),
          {},
          "large"};
}

template <class Scores>
void expect_the_same_bytes(const JointCase& c, int rule) {
  std::vector<Learnt> results;
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    const JointData data = joint_data_of(c, ctx);
    Scores scores(data.rows, data.problem.attributes.count);
    ASSERT_GT(online_block(scores.nonzeros() / scores.samples(), data.problem.attributes.count), 0);
    const OnlineResult result = learn_online(data.problem, scores, rule_of(data.problem, rule), 0,
                                             {.epochs = 3, .is_averaged = true, .weight = {}}, ctx);
    EXPECT_GT(result.updates, 300);
    results.push_back(learnt(scores, result));
  }
  for (const Learnt& other : results) {
    EXPECT_EQ(other.result.updates, results[0].result.updates);
    EXPECT_EQ(other.result.active, results[0].result.active);
    EXPECT_EQ(other.last, results[0].last);
    EXPECT_EQ(other.lagged, results[0].lagged);
  }
}

TEST(OnlineBlocks, TheNumberOfThreadsChangesNothing) {
  expect_the_same_bytes<LinearScores<double>>(large_case(false, false, true), 2);
  expect_the_same_bytes<LinearScores<double>>(large_case(true, true, true), 0);
  expect_the_same_bytes<DenseScores<double>>(large_case(true, true, false), 2);
  expect_the_same_bytes<DenseScores<double>>(large_case(false, false, false), 1);
}

TEST(OnlineBlocks, FewProductsAreLearntOneByOne) {
  EXPECT_EQ(online_block(30, 35), 0);
  EXPECT_EQ(online_block(80, 97), 0);
  EXPECT_GT(online_block(60, 590), 16);
  EXPECT_GE(online_block(100, 2000), online_block(100, 100000));
}

TEST(BlockIndex, GivesInnerProductsAndSamplesByFeature) {
  const JointCase c = large_case(false, false, true);
  Context ctx({.threads = 1});
  const TrainingRows rows = joint_data_of(c, ctx).rows;
  BlockIndex index(rows.width());
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 40}, {40, 41}, {300, 333}, {7, 7}}) {
    index.set(rows, begin, end);
    std::vector<std::map<std::int32_t, double>> seen(static_cast<std::size_t>(end - begin));
    for (std::size_t k = 0; k < index.features().size(); ++k) {
      std::int32_t last = -1;
      for (const BlockIndex::Entry& e : index.entries(k)) {
        EXPECT_GT(e.place, last);
        last = e.place;
        EXPECT_TRUE(seen[static_cast<std::size_t>(e.place)].emplace(index.features()[k], e.value).second);
      }
    }
    std::vector<double> inner(seen.size(), 1e300);
    index.products(rows.columns_of(11), rows.values_of(11), inner);
    for (Index j = begin; j < end; ++j) {
      std::map<std::int32_t, double> own;
      double sum = 0;
      for (std::size_t k = 0; k < rows.columns_of(j).size(); ++k) own[rows.columns_of(j)[k]] = rows.values_of(j)[k];
      for (std::size_t k = 0; k < rows.columns_of(11).size(); ++k) {
        const auto same = own.find(rows.columns_of(11)[k]);
        if (same != own.end()) sum += rows.values_of(11)[k] * same->second;
      }
      EXPECT_EQ(seen[static_cast<std::size_t>(j - begin)], own);
      EXPECT_NEAR(inner[static_cast<std::size_t>(j - begin)], sum, 1e-12);
    }
  }
}

}  // namespace
}  // namespace clade
