#include "classify/narrowing.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "classify/conformal_support.h"

namespace clade {
namespace {

using testing::ScoredProblem;
using testing::ScoredSample;

struct Answer {
  std::vector<NodeId> nodes;
  double mass;
};

std::vector<Answer> answers(const ScoredProblem& problem, const ScoredSample& sample, Index most) {
  const AnswerSpace space = problem.space();
  Narrowing narrowing(space, sample.scores, most);
  std::vector<Answer> all;
  while (true) {
    all.push_back({{narrowing.nodes().begin(), narrowing.nodes().end()}, narrowing.mass()});
    if (narrowing.next_mass() < 0) return all;
    narrowing.go_on();
  }
}

std::set<NodeId> covered_by(const Taxonomy& taxonomy, const std::vector<NodeId>& nodes) {
  std::set<NodeId> all(nodes.begin(), nodes.end());
  for (const NodeId node : nodes) {
    for (const NodeId below : taxonomy.descendants(node)) all.insert(below);
  }
  return all;
}

// Trees and DAGs with one label or several: visit(problem, sample).
template <class Visit>
void for_each_sample(const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ScoredProblem problem(static_cast<NodeId>(1 + seed * 7 % 40), seed % 3 == 0, seed % 4 < 2, seed);
    RandomStream random(seed, {kTestStream, 31});
    visit(problem, problem.draw(random));
  }
}

TEST(Narrowing, AnswersAreNestedAndSmallAndEndAtALeaf) {
  for_each_sample([](const ScoredProblem& problem, const ScoredSample& sample) {
    for (Index most = 1; most <= 10; ++most) {
      const std::vector<Answer> all = answers(problem, sample, most);
      EXPECT_EQ(all[0].nodes, std::vector<NodeId>{0});
      EXPECT_EQ(all[0].mass, 1);
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_GE(all[k].nodes.size(), 1);
        EXPECT_LE(std::ssize(all[k].nodes), most);
        for (const NodeId a : all[k].nodes) {
          for (const NodeId b : all[k].nodes) EXPECT_FALSE(problem.taxonomy.is_ancestor(a, b));
        }
        if (k == 0) continue;
        EXPECT_LE(all[k].mass, all[k - 1].mass);
        EXPECT_GE(all[k].mass, 0);
        const auto before = covered_by(problem.taxonomy, all[k - 1].nodes);
        const auto now = covered_by(problem.taxonomy, all[k].nodes);
        EXPECT_TRUE(std::ranges::includes(before, now));
        EXPECT_LT(now.size(), before.size());
        for (NodeId v = 0; v < problem.taxonomy.size(); ++v) {
          EXPECT_EQ(covers(problem.taxonomy, all[k].nodes, v), now.contains(v));
        }
      }
      EXPECT_EQ(all.back().nodes.size(), 1);
      EXPECT_TRUE(problem.taxonomy.is_leaf(all.back().nodes[0]));
    }
  });
}

TEST(Narrowing, OneNodeFollowsTheBestChildren) {
  for_each_sample([](const ScoredProblem& problem, const ScoredSample& sample) {
    NodeId node = 0;
    for (const Answer& answer : answers(problem, sample, 1)) {
      EXPECT_EQ(answer.nodes, std::vector<NodeId>{node});
      if (!problem.has_several_labels) {
        EXPECT_EQ(answer.mass, sample.scores[static_cast<std::size_t>(node)]);
      }
      const auto children = problem.taxonomy.children(node);
      if (children.empty()) break;
      node =
          *std::ranges::max_element(children, {}, [&](NodeId c) { return sample.scores[static_cast<std::size_t>(c)]; });
    }
  });
}

// With room for all leaves the last answers are the usual prediction sets: the most probable leaves.
TEST(Narrowing, WithRoomForAllItDropsTheLeastProbableLeaf) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ScoredProblem problem(static_cast<NodeId>(6 + seed % 8), false, false, 2 * seed + 1);
    auto leaves = std::vector<NodeId>(problem.taxonomy.leaves().begin(), problem.taxonomy.leaves().end());
    if (leaves.size() > 10) continue;
    RandomStream random(seed, {kTestStream, 32});
    const ScoredSample sample = problem.draw(random);
    std::ranges::sort(leaves, std::greater<>(), [&](NodeId v) { return sample.scores[static_cast<std::size_t>(v)]; });
    const std::vector<Answer> all = answers(problem, sample, 10);
    for (std::size_t count = 1; count <= leaves.size(); ++count) {
      const Answer& answer = all[all.size() - count];
      EXPECT_EQ(std::set<NodeId>(answer.nodes.begin(), answer.nodes.end()),
                std::set<NodeId>(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(count)));
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

// Of all answers that one step can give, by plain definition, the next loses least for each node that it gives up.
TEST(Narrowing, TakesTheStepThatLosesLeastPerNode) {
  for_each_sample([](const ScoredProblem& problem, const ScoredSample& sample) {
    if (!problem.taxonomy.is_tree()) return;
    const auto p = [&](NodeId v) { return sample.scores[static_cast<std::size_t>(v)]; };
    for (const Index most : {2, 3, 5}) {
      const std::vector<Answer> all = answers(problem, sample, most);
      for (std::size_t k = 1; k < all.size(); ++k) {
        double mass = -1;
        double least = std::numeric_limits<double>::infinity();
        const auto volume = [&](NodeId v) { return 1 + std::ssize(problem.taxonomy.descendants(v)); };
        for (const NodeId gone : all[k - 1].nodes) {
          const auto below = problem.taxonomy.children(gone);
          if (below.empty() && all[k - 1].nodes.size() == 1) continue;
          std::vector<NodeId> children(below.begin(), below.end());
          std::ranges::stable_sort(children, std::greater<>(), p);
          const auto room = static_cast<std::size_t>(most) - all[k - 1].nodes.size() + 1;
          double sum = -p(gone);
          double product = below.empty() ? 1 - p(gone) : 1;
          for (const NodeId node : all[k - 1].nodes) sum += p(node);
          auto given_up = volume(gone);
          for (std::size_t c = 0; c < children.size(); ++c) {
            if (c < room) sum += p(children[c]);
            if (c < room) given_up -= volume(children[c]);
            if (c >= room) product *= 1 - p(children[c]);
          }
          if (!below.empty() && problem.has_several_labels) {
            product *= 1 - static_cast<double>(problem.own_share[static_cast<std::size_t>(gone)]) * p(gone);
          }
          const double after = problem.has_several_labels ? all[k - 1].mass * product : sum;
          const double lost = (all[k - 1].mass - after) / static_cast<double>(given_up);
          if (lost >= least - 1e-12) continue;
          least = lost;
          mass = after;
        }
        EXPECT_NEAR(all[k].mass, std::min(mass, all[k - 1].mass), 1e-9);
      }
    }
  });
}

}  // namespace
}  // namespace clade
