// Thresholds of node scores, against choices made by trying everything, over trees and DAGs.

#include "classify/decide/learn_thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "classify/decide/threshold_search.h"
#include "classify/nodes/node_decisions.h"
#include "data/random_data.h"

namespace clade {
namespace {

constexpr int kNoPart = PlacedScores::kNoPart;

// Scores that know something of the labels, unless `is_noise`.
struct DecisionCase {
  Dataset data;
  ClosedLabels labels;
  Matrix scores;

  DecisionCase(int k, bool is_noise, Index samples)
      : data(random_dataset({.samples = samples,
                             .nodes = 6 + k % 9,
                             .dag = k % 2 == 1,
                             .several_labels = true,
                             .inner_labels = k % 3 == 0,
                             .seed = static_cast<std::uint64_t>(k) + 1})),
        labels(closed_labels(data, {})),
        scores(samples, labels.columns()) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 77});
    for (Index s = 0; s < samples; ++s) {
      for (Index c = 0; c < labels.columns(); ++c) {
        const bool is_member = std::ranges::binary_search(labels.members.of(s), static_cast<std::int32_t>(c));
        scores(s, c) = 0.6 * random.uniform() + (is_member && !is_noise ? 0.3 : 0);
      }
    }
    Context ctx({.threads = 1});
    make_columns_consistent(data.taxonomy(), labels.nodes, scores, ctx);
  }

  bool is_member(Index s, Index c) const {
    return std::ranges::binary_search(labels.members.of(s), static_cast<std::int32_t>(c));
  }
};

// Hierarchical F1 (micro average) if pairs are taken whose score reaches the threshold of their column.
double f1_at(const DecisionCase& c, const std::vector<double>& threshold) {
  double common = 0;
  double both = 0;
  for (Index s = 0; s < c.scores.rows(); ++s) {
    for (Index k = 0; k < c.scores.cols(); ++k) {
      const bool is_taken = c.scores(s, k) >= threshold[static_cast<std::size_t>(k)];
      common += is_taken && c.is_member(s, k) ? 1 : 0;
      both += (is_taken ? 1 : 0) + (c.is_member(s, k) ? 1 : 0);
    }
  }
  return 2 * common / both;
}

std::vector<double> thresholds_of(const PlacedScores& placed, const NodeCuts& cuts) {
  std::vector<double> result;
  for (const int cut : cuts) result.push_back(cut < 0 ? 2 : placed.thresholds()[static_cast<std::size_t>(cut)]);
  return result;
}

TEST(ThresholdSearch, OneThresholdIsTheBestOfAll) {
  Context ctx({.threads = 2});
  for (int k = 0; k < 12; ++k) {
    const DecisionCase c(k, false, 25);
    const ThresholdSearch search(c.data.taxonomy(), c.labels, c.scores, ctx);
    const double found = f1_at(c, thresholds_of(search.placed(), search.best_cuts(DecideBy::kOne, kNoPart)));
    double best = 0;
    for (Index i = 0; i < c.scores.size(); ++i) {
      const std::vector<double> all(static_cast<std::size_t>(c.scores.cols()), c.scores.data()[i]);
      best = std::max(best, f1_at(c, all));
    }
    EXPECT_NEAR(found, best, 1e-12) << k;
  }
}

// F1 of the pairs of all levels, each with 20 positive pairs more that lie as those of all levels do.
double drawn_f1(const DecisionCase& c, const std::vector<double>& of_levels) {
  const Taxonomy& taxonomy = c.data.taxonomy();
  struct Sums {
    double right = 0;
    double taken = 0;
    double positives = 0;
  };
  const auto count = [&](std::size_t level, double threshold, bool only_level) {
    Sums sums;
    for (Index s = 0; s < c.scores.rows(); ++s) {
      for (Index j = 0; j < c.scores.cols(); ++j) {
        const auto depth = static_cast<std::size_t>(taxonomy.depth(c.labels.nodes[static_cast<std::size_t>(j)]));
        if (only_level && depth != level + 1) continue;
        const bool is_taken = c.scores(s, j) >= threshold;
        sums.right += is_taken && c.is_member(s, j) ? 1 : 0;
        sums.taken += is_taken ? 1 : 0;
        sums.positives += c.is_member(s, j) ? 1 : 0;
      }
    }
    return sums;
  };
  double right = 0;
  double both = 0;
  for (std::size_t level = 0; level < of_levels.size(); ++level) {
    const Sums own = count(level, of_levels[level], true);
    const Sums all = count(level, of_levels[level], false);
    const double factor = 20 / all.positives;
    right += own.right + factor * all.right;
    both += own.taken + own.positives + factor * (all.taken + all.positives);
  }
  return 2 * right / both;
}

TEST(ThresholdSearch, ThresholdsPerLevelAreTheBestThatNeverFall) {
  Context ctx({.threads = 2});
  RandomStream random(3, {kTestStream, 78});
  for (int k = 0; k < 10; ++k) {
    DecisionCase c(k, false, 9);
    c.scores = (8 * c.scores).array().floor() / 8;  // few different ones, so that all can be tried
    const Taxonomy& taxonomy = c.data.taxonomy();
    const ThresholdSearch search(taxonomy, c.labels, c.scores, ctx);
    const std::vector<double> found = thresholds_of(search.placed(), search.best_cuts(DecideBy::kLevel, kNoPart));
    int depth = 0;
    for (const NodeId node : c.labels.nodes) depth = std::max(depth, taxonomy.depth(node));
    std::vector<double> of_levels(static_cast<std::size_t>(depth), 2);
    for (std::size_t j = 0; j < found.size(); ++j) {
      of_levels[static_cast<std::size_t>(taxonomy.depth(c.labels.nodes[j])) - 1] = found[j];
    }
    EXPECT_TRUE(std::ranges::is_sorted(of_levels)) << k;
    std::vector<double> choices(search.placed().thresholds());
    choices.push_back(2);
    const double reached = drawn_f1(c, of_levels);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> other;
      for (int level = 0; level < depth; ++level) {
        other.push_back(choices[static_cast<std::size_t>(random.below(std::ssize(choices)))]);
      }
      std::ranges::sort(other);
      EXPECT_LE(drawn_f1(c, other), reached + 1e-12) << k;
    }
  }
}

TEST(ThresholdSearch, TalliesAreThoseOfTheDecidedLabels) {
  Context ctx({.threads = 3});
  for (int k = 0; k < 8; ++k) {
    const DecisionCase c(k, false, 40);
    const Taxonomy& taxonomy = c.data.taxonomy();
    const ThresholdSearch search(taxonomy, c.labels, c.scores, ctx);
    for (const DecideBy by : {DecideBy::kOne, DecideBy::kLevel, DecideBy::kNode}) {
      const NodeCuts cuts = search.best_cuts(by, kNoPart);
      const std::vector<double> by_column = thresholds_of(search.placed(), cuts);
      std::vector<double> threshold(static_cast<std::size_t>(taxonomy.size()), 2);
      for (std::size_t j = 0; j < by_column.size(); ++j) {
        threshold[static_cast<std::size_t>(c.labels.nodes[j])] = by_column[j];
      }
      const std::vector<NodeCuts> everywhere(PlacedScores::kParts, cuts);
      const auto by_node = search.tally(everywhere, false);
      const auto by_label = search.tally(everywhere, true);
      for (Index s = 0; s < c.data.samples(); ++s) {
        std::vector<double> row(static_cast<std::size_t>(taxonomy.size()), 0);
        for (Index j = 0; j < c.scores.cols(); ++j) {
          row[static_cast<std::size_t>(c.labels.nodes[static_cast<std::size_t>(j)])] = c.scores(s, j);
        }
        const std::vector<NodeId> labels = decided_labels(taxonomy, row, threshold);
        const auto closed = [&](std::span<const NodeId> some) {
          std::set<NodeId> nodes(some.begin(), some.end());
          for (const NodeId node : some) {
            for (const NodeId above : taxonomy.ancestors(node)) nodes.insert(above);
          }
          nodes.erase(0);
          return nodes;
        };
        const auto common = [](const std::set<NodeId>& a, const std::set<NodeId>& b) {
          return static_cast<double>(std::ranges::count_if(a, [&](NodeId node) { return b.contains(node); }));
        };
        const std::set<NodeId> predicted = closed(labels);
        const std::set<NodeId> truth = closed(c.data.labels(s));
        const DecisionTally& own = by_node[static_cast<std::size_t>(s)];
        EXPECT_EQ(own.predicted, static_cast<double>(predicted.size()));
        EXPECT_EQ(own.truth, static_cast<double>(truth.size()));
        EXPECT_EQ(own.common, common(predicted, truth));
        const std::set<NodeId> given(labels.begin(), labels.end());
        const std::set<NodeId> wanted(c.data.labels(s).begin(), c.data.labels(s).end());
        const DecisionTally& of_labels = by_label[static_cast<std::size_t>(s)];
        EXPECT_EQ(of_labels.predicted, static_cast<double>(given.size()));
        EXPECT_EQ(of_labels.common, common(given, wanted));
      }
    }
  }
}

TEST(LearnThresholds, ScoresThatSayNothingAreNotTrusted) {
  Context ctx({.threads = 2});
  for (int k = 0; k < 6; ++k) {
    const DecisionCase c(k, true, 200);
    const LearntThresholds learnt = learn_thresholds({c.data.taxonomy(), c.labels, c.scores, {}}, {}, ctx);
    EXPECT_EQ(learnt.mix.trust, 0) << k;
    // The best set of nodes for every sample, by trying all numbers of the most frequent.
    double best = 0;
    for (const double frequency : c.labels.frequency) {
      DecisionCase constant = c;
      for (Index j = 0; j < c.scores.cols(); ++j) {
        constant.scores.col(j).setConstant(c.labels.frequency[static_cast<std::size_t>(j)]);
      }
      const std::vector<double> all(c.labels.nodes.size(), frequency);
      best = std::max(best, f1_at(constant, all));
      if (frequency == learnt.threshold[0]) {
        EXPECT_EQ(learnt.threshold, all);
      }
    }
    DecisionCase constant = c;
    for (Index j = 0; j < c.scores.cols(); ++j) {
      constant.scores.col(j).setConstant(c.labels.frequency[static_cast<std::size_t>(j)]);
    }
    EXPECT_NEAR(f1_at(constant, learnt.threshold), best, 1e-12);
  }
}

TEST(LearnThresholds, EveryMeasureIsReachedAndThreadsDoNotMatter) {
  for (int k = 0; k < 3; ++k) {
    const DecisionCase c(k, false, 100);
    for (const DecideBy by : {DecideBy::kAuto, DecideBy::kOne, DecideBy::kLevel, DecideBy::kNode}) {
      for (const DecideFor measure :
           {DecideFor::kHierarchicalF1, DecideFor::kSampleF1, DecideFor::kLabelF1, DecideFor::kRecall}) {
        const DecideOptions options{.by = by, .measure = measure, .least_precision = 0.7};
        Context one({.threads = 1});
        Context three({.threads = 3});
        const LearntThresholds learnt = learn_thresholds({c.data.taxonomy(), c.labels, c.scores, {}}, options, one);
        const LearntThresholds again = learn_thresholds({c.data.taxonomy(), c.labels, c.scores, {}}, options, three);
        EXPECT_EQ(learnt.threshold, again.threshold);
        EXPECT_EQ(learnt.value, again.value);
        EXPECT_GE(learnt.value, learnt.prior_value);
        if (measure != DecideFor::kRecall) {
          EXPECT_GT(learnt.mix.trust, 0);
        }
        for (std::size_t j = 0; j < c.labels.nodes.size(); ++j) {
          for (const NodeId parent : c.data.taxonomy().parents(c.labels.nodes[j])) {
            const auto above = std::ranges::find(c.labels.nodes, parent);
            if (above == c.labels.nodes.end()) continue;
            EXPECT_LE(learnt.threshold[static_cast<std::size_t>(above - c.labels.nodes.begin())], learnt.threshold[j]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace clade
