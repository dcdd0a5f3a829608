#include "classify/joint/cost_search.h"

#include <clade/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "classify/joint/joint_reference.h"
#include "core/random.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using testing::full_problem;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;
using testing::Vector;

std::string refusal(const std::string& text) {
  try {
    parse_costs(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(CostSearch, CostsAreSortedAndDifferent) {
  EXPECT_THAT(parse_costs("1"), ElementsAre(1));
  EXPECT_THAT(parse_costs("10, 0.1 ,1e0,1,0.1"), ElementsAre(0.1, 1, 10));
}

TEST(CostSearch, NonsenseIsRefused) {
  for (const char* const text : {"", ",", "1,", "1,,2", "0", "-1", "1,-0.5", "nan", "inf", "1;2", "one", "1 2"}) {
    EXPECT_EQ(refusal(text), std::string("`c-grid`: '") + text + "'; expected positive numbers, such as 0.1,1,10");
  }
}

// The samples of a fold as the search deals them, the solution without them, and the loss of what it says of them. None
// where two classes score the same but for rounding, such as two that a fold has no samples of.
std::optional<double> loss_held_out(const JointCase& c, const JointData& data, double cost, int folds,
                                    std::uint64_t seed) {
  const FullProblem full = full_problem(c);
  std::vector<Index> order(full.x.size());
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream random(seed, {kFoldStream});
  random.shuffle(std::span(order));
  double total = 0;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<char> is_out(order.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (static_cast<int>(k) % folds == fold) is_out[static_cast<std::size_t>(order[k])] = 1;
    }
    JointProblem learnt{data.problem.classes, data.problem.attributes, data.problem.loss, {}};
    TrainingRows rows;
    rows.features = data.rows.features;
    for (Index s = 0; s < std::ssize(order); ++s) {
      if (is_out[static_cast<std::size_t>(s)] != 0) continue;
      rows.append(data.rows, s);
      const auto own = data.problem.labels.of(s);
      learnt.labels.classes.insert(learnt.labels.classes.end(), own.begin(), own.end());
      learnt.labels.offsets.push_back(std::ssize(learnt.labels.classes));
    }
    Context ctx({.threads = 1});
    LinearScores<double> scores(rows, data.problem.attributes.count);
    JointVariables variables;
    solve_joint_svm(learnt, scores, Vector(static_cast<std::size_t>(rows.rows()), cost), variables,
                    {.tolerance = 1e-8, .iterations = 100000}, ctx);
    double sum = 0;
    double count = 0;
    for (std::size_t s = 0; s < order.size(); ++s) {
      if (is_out[s] == 0) continue;
      ++count;
      Vector output(static_cast<std::size_t>(scores.stride()));
      scores.weights().product(data.rows.columns_of(static_cast<Index>(s)), data.rows.values_of(static_cast<Index>(s)),
                               output.data());
      Vector class_scores(full.classes.size());
      ClassScorer(data.problem.attributes).scores(output.data(), class_scores.data());
      const auto best =
          static_cast<std::size_t>(std::max_element(class_scores.begin(), class_scores.end()) - class_scores.begin());
      for (std::size_t y = 0; y < class_scores.size(); ++y) {
        if (y != best && class_scores[y] > class_scores[best] - 1e-4) return std::nullopt;
      }
      double worst = 0;
      if (!full.has(s, best)) {
        for (const std::size_t y : full.own[s]) worst = std::max(worst, full.loss[y][best]);
      }
      sum += worst;
    }
    total += sum / count / folds;
  }
  return total;
}

TEST(CostSearch, LossIsThatOfSolvingEachFoldAlone) {
  int compared = 0;
  for (int k = 0; compared < 60; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    Context ctx({.threads = 2});
    const JointData data = joint_data_of(c, ctx);
    const Vector grid{0.1, 1, 10};
    const auto trials =
        try_costs<double>(data, {}, {}, grid, 3, {.tolerance = 1e-8, .iterations = 100000, .seed = 7}, ctx);
    ASSERT_EQ(trials.size(), grid.size());
    for (std::size_t t = 0; t < grid.size(); ++t) {
      EXPECT_EQ(trials[t].c, grid[t]);
      const std::optional<double> expected = loss_held_out(c, data, grid[t], 3, 7);
      if (!expected) continue;
      ++compared;
      EXPECT_NEAR(trials[t].loss, *expected, 1e-9) << c.name << ", C " << grid[t];
    }
  }
}

TEST(CostSearch, MoreFoldsThanSamplesAreRefused) {
  for (int k = 0;; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    EXPECT_THROW(try_costs<double>(data, {}, {}, Vector{1.0}, 50, {}, ctx), Error);
    break;
  }
}

}  // namespace
}  // namespace clade
