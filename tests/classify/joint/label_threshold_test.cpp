#include "classify/joint/label_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "classify/class_scores.h"
#include "classify/trained_models.h"

namespace clade {
namespace {

using testing::random_training_options;
using testing::trained;

struct Judged {
  std::vector<double> scores;
  std::vector<char> is_label;

  // Labels at or below the threshold, and others at or above it.
  int errors(double t) const {
    int count = 0;
    for (std::size_t c = 0; c < scores.size(); ++c) count += is_label[c] != 0 ? scores[c] <= t : scores[c] >= t;
    return count;
  }
};

Judged random_scores(RandomStream& random, bool has_ties) {
  Judged judged;
  const Index classes = 1 + random.below(7);
  for (Index c = 0; c < classes; ++c) {
    const double score = random.normal();
    judged.scores.push_back(has_ties ? std::round(score) : score);
    judged.is_label.push_back(random.uniform() < 0.4 ? 1 : 0);
  }
  return judged;
}

// Every threshold that could matter: on the scores, in the middle between them, and beyond both ends.
std::vector<double> all_thresholds(const Judged& judged) {
  std::vector<double> sorted = judged.scores;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> thresholds = sorted;
  thresholds.push_back(sorted.front() - 1);
  thresholds.push_back(sorted.back() + 1);
  for (std::size_t k = 1; k < sorted.size(); ++k) thresholds.push_back((sorted[k - 1] + sorted[k]) / 2);
  return thresholds;
}

TEST(LabelThreshold, OfOneSampleErrsLeast) {
  RandomStream random(4, {kTestStream, 51});
  for (int k = 0; k < 2000; ++k) {
    const Judged judged = random_scores(random, k % 2 == 0);
    const double found = best_threshold(judged.scores, judged.is_label);
    for (const double t : all_thresholds(judged)) ASSERT_LE(judged.errors(found), judged.errors(t)) << k;
  }
}

// Of several gaps between scores with the fewest errors it lies in the middle of the widest.
TEST(LabelThreshold, OfOneSampleIsTheMiddleOfTheWidestGap) {
  RandomStream random(5, {kTestStream, 52});
  int inside = 0;
  for (int k = 0; k < 500; ++k) {
    const Judged judged = random_scores(random, false);
    const double found = best_threshold(judged.scores, judged.is_label);
    std::vector<double> sorted = judged.scores;
    std::sort(sorted.begin(), sorted.end());
    if (found < sorted.front() || found > sorted.back()) continue;
    ++inside;
    double widest = 0;
    double middle = 0;
    for (std::size_t s = 1; s < sorted.size(); ++s) {
      const double between = (sorted[s - 1] + sorted[s]) / 2;
      if (judged.errors(between) > judged.errors(found) || sorted[s] - sorted[s - 1] <= widest) continue;
      widest = sorted[s] - sorted[s - 1];
      middle = between;
    }
    EXPECT_NEAR(found, middle, 1e-12);
  }
  EXPECT_GT(inside, 100);
}

TEST(LabelThreshold, ByHand) {
  const std::vector<char> first_two{1, 1, 0};
  EXPECT_DOUBLE_EQ(best_threshold(std::vector{3.0, 2.0, 1.0}, first_two), 1.5);
  EXPECT_DOUBLE_EQ(best_threshold(std::vector{5.0, 2.0, 1.0}, std::vector<char>{1, 0, 0}), 3.5);
  // A misplaced pair: above both errs once, and so does below both; the gap in the middle errs twice.
  const std::vector<double> scores{2.0, 1.0};
  EXPECT_EQ((Judged{scores, {0, 1}}).errors(best_threshold(scores, std::vector<char>{0, 1})), 1);
}

// (A'A) a = A't by elimination with pivots, A having a row of scores and a 1 per sample.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows, const std::vector<double>& wanted) {
  const std::size_t n = rows[0].size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0));
  double trace = 0;
  for (std::size_t s = 0; s < rows.size(); ++s) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) m[a][b] += rows[s][a] * rows[s][b];
      m[a][n] += rows[s][a] * wanted[s];
    }
  }
  for (std::size_t a = 0; a < n; ++a) trace += m[a][a];
  for (std::size_t a = 0; a < n; ++a) m[a][a] += 1e-8 * trace / static_cast<double>(n);
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t pivot = a;
    for (std::size_t b = a; b < n; ++b) pivot = std::abs(m[b][a]) > std::abs(m[pivot][a]) ? b : pivot;
    std::swap(m[a], m[pivot]);
    for (std::size_t b = 0; b < n; ++b) {
      if (b == a) continue;
      const double factor = m[b][a] / m[a][a];
      for (std::size_t c = a; c <= n; ++c) m[b][c] -= factor * m[a][c];
    }
  }
  std::vector<double> solution;
  for (std::size_t a = 0; a < n; ++a) solution.push_back(m[a][n] / m[a][a]);
  return solution;
}

TEST(LabelThreshold, IsTheLeastSquaresFitToTheBestOnes) {
  for (const int k : {4, 5, 6, 7, 12, 13, 14, 15}) {
    RandomDataOptions options = random_training_options(k);
    if (k % 2 == 1) options.nodes = 100;  // more classes than samples
    const Dataset data = with_leaf_labels(random_dataset(options));
    const ModelBody model = trained(data, "hierarchical-svm", {{"weights", "double"}});
    ASSERT_FALSE(model.threshold.empty());
    std::vector<std::vector<double>> rows;
    std::vector<double> wanted;
    std::vector<std::vector<double>> of_sample(static_cast<std::size_t>(data.samples()));
    Context one({.threads = 1});
    for_each_class_scores(model, data, 0, data.samples(), one, [&](Index s, std::span<const double> scores) {
      of_sample[static_cast<std::size_t>(s)].assign(scores.begin(), scores.end());
    });
    for (Index s = 0; s < data.samples(); ++s) {
      std::vector<double> scores = of_sample[static_cast<std::size_t>(s)];
      std::vector<char> is_label;
      for (const NodeId y : model.nodes[0].children) {
        is_label.push_back(std::ranges::find(data.labels(s), y) != data.labels(s).end() ? 1 : 0);
      }
      wanted.push_back(best_threshold(scores, is_label));
      scores.push_back(1);
      rows.push_back(scores);
    }
    const auto error = [&](const std::vector<double>& factors) {
      double sum = 0;
      for (std::size_t s = 0; s < rows.size(); ++s) {
        double t = -wanted[s];
        for (std::size_t c = 0; c < factors.size(); ++c) t += factors[c] * rows[s][c];
        sum += t * t;
      }
      return sum;
    };
    const double expected = error(least_squares(rows, wanted));
    EXPECT_NEAR(error(model.threshold), expected, 1e-6 * (1 + expected)) << k;
    // One sample after the other gives the same.
    ThresholdFit fit(std::ssize(model.nodes[0].children));
    for (Index s = 0; s < data.samples(); ++s) {
      const auto& row = rows[static_cast<std::size_t>(s)];
      std::vector<char> is_label;
      for (const NodeId y : model.nodes[0].children) {
        is_label.push_back(std::ranges::find(data.labels(s), y) != data.labels(s).end() ? 1 : 0);
      }
      fit.add(std::span(row).first(row.size() - 1), is_label);
    }
    EXPECT_NEAR(error(fit.solve()), expected, 1e-6 * (1 + expected));
  }
}

TEST(LabelThreshold, IsLearntWhereItIsWanted) {
  const Dataset several = random_dataset(random_training_options(4));
  const Dataset one = random_dataset(random_training_options(0));
  const auto size = [](const Dataset& data, const std::string& choice) {
    return trained(data, "flat-svm", {{"learn-threshold", choice}}).threshold.size();
  };
  EXPECT_GT(size(several, "auto"), 2U);
  EXPECT_EQ(size(several, "no"), 0U);
  EXPECT_EQ(size(one, "auto"), 0U);
  EXPECT_GT(size(one, "yes"), 2U);
}

}  // namespace
}  // namespace clade
