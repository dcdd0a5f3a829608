#include "evaluate/reliability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "evaluate/random_outcomes.h"

namespace clade {
namespace {

using testing::Case;
using testing::random_case;
using Lists = testing::CaseShape::Lists;

// What the measures are defined on: a sample's true nodes and the nodes of its first label, ancestors included.
struct Sample {
  double score;
  bool is_right;
  std::set<NodeId> truth;
  std::set<NodeId> predicted;
};

std::set<NodeId> with_ancestors(const Taxonomy& taxonomy, std::span<const NodeId> labels, bool count_root) {
  std::set<NodeId> result(labels.begin(), labels.end());
  for (const NodeId label : labels) result.merge(with_ancestors(taxonomy, taxonomy.parents(label), true));
  if (!count_root) result.erase(0);
  return result;
}

std::vector<Sample> samples_of(const Case& c, bool count_root) {
  std::vector<Sample> samples;
  for (Index s = 0; s < c.data.samples(); ++s) {
    const auto truth = c.data.labels(s);
    const auto first = c.predictions.labels_of(s).first(1);
    samples.push_back({c.predictions.scores_of(s)[0], std::find(truth.begin(), truth.end(), first[0]) != truth.end(),
                       with_ancestors(c.taxonomy, truth, count_root), with_ancestors(c.taxonomy, first, count_root)});
  }
  return samples;
}

template <class Keep>
double count_if(const std::vector<Sample>& samples, const Keep& keep) {
  return static_cast<double>(std::count_if(samples.begin(), samples.end(), keep));
}

// The gap of one bin times its share of the samples, and the gap alone.
template <class Keep>
std::pair<double, double> gap(const std::vector<Sample>& samples, const Keep& keep) {
  double count = 0;
  double right = 0;
  double score = 0;
  for (const Sample& s : samples) {
    if (!keep(s)) continue;
    ++count;
    right += s.is_right ? 1 : 0;
    score += s.score;
  }
  if (count == 0) return {0, 0};
  const double difference = std::abs(right / count - score / count);
  return {count / static_cast<double>(samples.size()) * difference, difference};
}

double f1_of(const std::vector<Sample>& samples, double threshold) {
  double common = 0;
  double both = 0;
  double truth = 0;
  double predicted = 0;
  for (const Sample& s : samples) {
    if (s.score < threshold) continue;
    for (const NodeId node : s.predicted) common += static_cast<double>(s.truth.count(node));
    truth += static_cast<double>(s.truth.size());
    predicted += static_cast<double>(s.predicted.size());
    both += static_cast<double>(s.truth.size() + s.predicted.size());
  }
  if (both == 0) return 1;
  if (truth == 0 || predicted == 0) return 0;
  return 2 * common / both;  // the harmonic mean of common / truth and common / predicted
}

void expect_as_defined(const Reliability& found, const std::vector<Sample>& samples) {
  const auto n = static_cast<double>(samples.size());
  double expected = 0;
  double maximum = 0;
  double adaptive = 0;
  for (int bin = 0; bin < 15; ++bin) {
    const auto [part, whole] = gap(samples, [&](const Sample& s) {
      return s.score * 15 >= bin && (s.score * 15 < bin + 1 || (bin == 14 && s.score == 1));
    });
    expected += part;
    maximum = std::max(maximum, whole);
    adaptive +=
        gap(samples, [&](const Sample& s) {
          return std::floor(15 * count_if(samples, [&](const Sample& o) { return o.score < s.score; }) / n) == bin;
        }).first;
  }
  EXPECT_NEAR(found.expected_calibration_error, expected, 1e-12);
  EXPECT_NEAR(found.maximum_calibration_error, maximum, 1e-12);
  EXPECT_NEAR(found.adaptive_calibration_error, adaptive, 1e-12);
  double brier = 0;
  for (const Sample& s : samples) brier += std::pow(s.score - (s.is_right ? 1 : 0), 2) / n;
  EXPECT_NEAR(found.brier_score, brier, 1e-12);

  std::set<double, std::greater<>> thresholds;
  for (const Sample& s : samples) thresholds.insert(s.score);
  std::size_t point = 0;
  double area = 0;
  for (const double t : thresholds) {
    const double above = count_if(samples, [&](const Sample& s) { return s.score > t; });
    const double answered = count_if(samples, [&](const Sample& s) { return s.score >= t; });
    const double right_above = count_if(samples, [&](const Sample& s) { return s.score > t && s.is_right; });
    const double right = count_if(samples, [&](const Sample& s) { return s.score >= t && s.is_right; });
    for (double k = above + 1; k <= answered; ++k) {
      area += (right_above + (k - above) / (answered - above) * (right - right_above)) / k / n;
    }
    if (std::floor(20 * answered / n) == std::floor(20 * above / n)) continue;
    ASSERT_LT(point, found.coverage.size());
    const CoveragePoint& p = found.coverage[point++];
    EXPECT_EQ(p.threshold, t);
    EXPECT_EQ(static_cast<double>(p.answered), answered);
    EXPECT_NEAR(p.coverage, answered / n, 1e-12);
    EXPECT_NEAR(p.accuracy, right / answered, 1e-12);
    EXPECT_NEAR(p.hierarchical_f1, f1_of(samples, t), 1e-12);
  }
  EXPECT_EQ(point, found.coverage.size());
  EXPECT_NEAR(found.accuracy_coverage_area, area, 1e-12);
}

// A case whose scores are probabilities: in steps of 1/20 (ties, and all ends of bins that floats can hold) or any.
Case probability_case(std::uint64_t k) {
  RandomStream random(20261115, {kTestStream, k});
  Case c = random_case({.most_parents = 1 + static_cast<int>(random.below(3)),
                        .most_labels = 1 + random.below(3),
                        .inner_labels = random.uniform() < 0.5,
                        .samples = 1 + random.below(60),
                        .lists = k % 2 == 0 ? Lists::kSingle : Lists::kSets},
                       random);
  for (Index s = 0; s < c.predictions.samples(); ++s) {
    const auto begin = c.predictions.scores.begin() + c.predictions.offsets[static_cast<std::size_t>(s)];
    const auto end = c.predictions.scores.begin() + c.predictions.offsets[static_cast<std::size_t>(s) + 1];
    for (auto at = begin; at != end; ++at) {
      *at = k % 3 == 0 ? random.uniform() : static_cast<double>(random.below(21)) / 20;
    }
    std::sort(begin, end, std::greater<>());
  }
  return c;
}

TEST(Reliability, MatchesItsDefinition) {
  Context ctx({.threads = 2});
  for (std::uint64_t k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const Case c = probability_case(k);
    EvaluateOptions options;
    options.probabilities = Probabilities::kYes;
    options.count_root = k % 5 == 0;
    const Evaluation evaluation = evaluate(c.data, c.predictions, options, {}, ctx);
    ASSERT_TRUE(evaluation.reliability);
    expect_as_defined(*evaluation.reliability, samples_of(c, options.count_root));
    if (HasFailure()) return;
    // With everything answered, accuracy is that of the first labels.
    EXPECT_NEAR(evaluation.reliability->coverage.back().accuracy, *evaluation.value("one_accuracy"), 1e-12);
  }
}

TEST(Reliability, DoesNotDependOnThreadsOrOrder) {
  std::vector<FirstLabel> samples;
  RandomStream random(1, {kTestStream, 0});
  for (int k = 0; k < 1000; ++k) {
    samples.push_back({static_cast<double>(random.below(50)) / 50, random.uniform() < 0.5, 3, 4,
                       static_cast<std::int32_t>(random.below(4))});
  }
  const Reliability first = reliability_of(samples);
  random.shuffle(std::span<FirstLabel>(samples));
  const Reliability second = reliability_of(samples);
  EXPECT_EQ(first.expected_calibration_error, second.expected_calibration_error);
  EXPECT_EQ(first.adaptive_calibration_error, second.adaptive_calibration_error);
  EXPECT_EQ(first.brier_score, second.brier_score);
  EXPECT_EQ(first.accuracy_coverage_area, second.accuracy_coverage_area);
  EXPECT_EQ(first.coverage.size(), second.coverage.size());

  const Case c = probability_case(3);
  Context one({.threads = 1});
  Context three({.threads = 3});
  const auto a = evaluate(c.data, c.predictions, {}, {}, one).reliability;
  const auto b = evaluate(c.data, c.predictions, {}, {}, three).reliability;
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->expected_calibration_error, b->expected_calibration_error);
  EXPECT_EQ(a->accuracy_coverage_area, b->accuracy_coverage_area);
}

// Scores drawn first, and labels right with exactly that chance: all errors vanish as samples grow.
TEST(Reliability, CalibratedScoresHaveNoError) {
  RandomStream random(7, {kTestStream, 1});
  std::vector<FirstLabel> samples;
  for (int k = 0; k < 200000; ++k) {
    const double score = random.uniform();
    samples.push_back({score, random.uniform() < score, 1, 1, 1});
  }
  const Reliability found = reliability_of(std::move(samples));
  EXPECT_LT(found.expected_calibration_error, 0.01);
  EXPECT_LT(found.adaptive_calibration_error, 0.01);
  EXPECT_LT(found.maximum_calibration_error, 0.03);
  EXPECT_NEAR(found.brier_score, 1.0 / 6, 0.005);          // mean of p (1 - p)
  EXPECT_NEAR(found.accuracy_coverage_area, 0.75, 0.005);  // mean of 1 - c / 2 over coverages c
  for (const CoveragePoint& point : found.coverage) EXPECT_NEAR(point.accuracy, 1 - point.coverage / 2, 0.02);
}

TEST(Reliability, WhichScoresAreProbabilities) {
  Context ctx({.threads = 1});
  Case c = probability_case(2);
  const auto measured = [&](double score, Probabilities choice) {
    std::fill(c.predictions.scores.begin(), c.predictions.scores.end(), score);
    EvaluateOptions options;
    options.probabilities = choice;
    return evaluate(c.data, c.predictions, options, {}, ctx).reliability.has_value();
  };
  EXPECT_TRUE(measured(0.5, Probabilities::kAuto));
  EXPECT_TRUE(measured(0.5, Probabilities::kYes));
  EXPECT_FALSE(measured(0.5, Probabilities::kNo));
  EXPECT_FALSE(measured(1, Probabilities::kAuto));
  EXPECT_FALSE(measured(0, Probabilities::kAuto));
  EXPECT_TRUE(measured(1, Probabilities::kYes));
  EXPECT_FALSE(measured(-1, Probabilities::kAuto));
  EXPECT_FALSE(measured(-1, Probabilities::kNo));
  try {
    measured(1.5, Probabilities::kYes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the first score of sample 0 is 1.5"));
  }
}

}  // namespace
}  // namespace clade
