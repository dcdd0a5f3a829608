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

// The definition: for each group of columns the threshold with the largest 2 x found - F x taken, over the group's
// pairs and 20 positive ones that lie as those of all levels; F is what the choice reaches.
TEST(ThresholdSearch, ThresholdsPerLevelAreTheBestForTheirSlope) {
  Context ctx({.threads = 2});
  for (int k = 0; k < 12; ++k) {
    const DecisionCase c(k, false, 30);
    const Taxonomy& taxonomy = c.data.taxonomy();
    const ThresholdSearch search(taxonomy, c.labels, c.scores, ctx);
    const std::vector<double> found = thresholds_of(search.placed(), search.best_cuts(DecideBy::kLevel, kNoPart));
    const double slope = f1_at(c, found);
    const auto gain = [&](int level, double threshold) {  // level 0: all
      double right = 0;
      double taken = 0;
      double positives = 0;
      for (Index s = 0; s < c.scores.rows(); ++s) {
        for (Index j = 0; j < c.scores.cols(); ++j) {
          if (level > 0 && taxonomy.depth(c.labels.nodes[static_cast<std::size_t>(j)]) != level) continue;
          const bool is_taken = c.scores(s, j) >= threshold;
          right += is_taken && c.is_member(s, j) ? 1 : 0;
          taken += is_taken ? 1 : 0;
          positives += c.is_member(s, j) ? 1 : 0;
        }
      }
      return std::pair(2 * right - slope * taken, positives);
    };
    const double positives = gain(0, 0).second;
    const auto drawn = [&](int level, double threshold) {
      return gain(level, threshold).first + 20 / positives * gain(0, threshold).first;
    };
    double above = 0;
    for (int level = 1; level <= taxonomy.longest_path(); ++level) {
      double best = 2;
      for (const double threshold : search.placed().thresholds()) {
        if (drawn(level, threshold) > drawn(level, best) + 1e-9) best = threshold;
      }
      above = std::max(above, best);  // a threshold never falls on the way down
      for (Index j = 0; j < c.scores.cols(); ++j) {
        if (taxonomy.depth(c.labels.nodes[static_cast<std::size_t>(j)]) != level) continue;
        EXPECT_EQ(found[static_cast<std::size_t>(j)], above) << k << " level " << level;
      }
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
    const LearntThresholds learnt = learn_thresholds({c.data.taxonomy(), c.labels, c.scores}, {}, ctx);
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
  for (int k = 0; k < 4; ++k) {
    const DecisionCase c(k, false, 200);
    for (const DecideBy by : {DecideBy::kAuto, DecideBy::kOne, DecideBy::kLevel, DecideBy::kNode}) {
      for (const DecideFor measure :
           {DecideFor::kHierarchicalF1, DecideFor::kSampleF1, DecideFor::kLabelF1, DecideFor::kRecall}) {
        const DecideOptions options{.by = by, .measure = measure, .least_precision = 0.7};
        Context one({.threads = 1});
        Context three({.threads = 3});
        const LearntThresholds learnt = learn_thresholds({c.data.taxonomy(), c.labels, c.scores}, options, one);
        const LearntThresholds again = learn_thresholds({c.data.taxonomy(), c.labels, c.scores}, options, three);
        EXPECT_EQ(learnt.threshold, again.threshold);
        EXPECT_EQ(learnt.value, again.value);
        EXPECT_GE(learnt.value, learnt.prior_value);
        EXPECT_GT(learnt.mix.trust, 0);
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
