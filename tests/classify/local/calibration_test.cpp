#include "classify/local/calibration.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace clade {
namespace {

struct Case {
  std::vector<double> scores;
  std::vector<char> is_positive;
  std::vector<double> weight;

  double total() const {
    double sum = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) sum += w(k);
    return sum;
  }
  double w(std::size_t k) const { return weight.empty() ? 1 : weight[k]; }
};

// Scores that tell the classes apart more or less; `ties`: few different scores.
Case random_case(unsigned seed, std::size_t n, double signal, bool ties, bool weights) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  Case c;
  for (std::size_t k = 0; k < n; ++k) {
    c.is_positive.push_back(random() % 3 == 0 ? 1 : 0);
    const double score = noise(random) + signal * (c.is_positive.back() != 0 ? 1 : -1);
    c.scores.push_back(ties ? std::round(score * 2) / 2 : score);
    if (weights) c.weight.push_back(static_cast<double>(random() % 5));
  }
  return c;
}

std::vector<Case> random_cases() {
  std::vector<Case> cases;
  for (unsigned seed = 0; seed < 60; ++seed) {
    cases.push_back(random_case(seed, 2 + seed % 40, seed % 3, seed % 2 == 0, seed % 4 < 2));
  }
  return cases;
}

// The definition, written down without thought for overflow.
double sigmoid_loss(const Case& c, double a, double b) {
  double positives = 0;
  double others = 0;
  for (std::size_t k = 0; k < c.scores.size(); ++k) (c.is_positive[k] != 0 ? positives : others) += c.w(k);
  double loss = 0;
  for (std::size_t k = 0; k < c.scores.size(); ++k) {
    const double t = c.is_positive[k] != 0 ? (positives + 1) / (positives + 2) : 1 / (others + 2);
    const double p = 1 / (1 + std::exp(a * c.scores[k] + b));
    loss -= c.w(k) * (t * std::log(p) + (1 - t) * std::log(1 - p));
  }
  return loss;
}

TEST(Sigmoid, NoPointOfAGridIsMoreLikely) {
  for (const Case& c : random_cases()) {
    const Calibration fit = fit_sigmoid(c.scores, c.is_positive, c.weight);
    ASSERT_EQ(fit.kind, Calibration::Kind::kSigmoid);
    ASSERT_EQ(fit.at.size(), 2U);
    const double loss = sigmoid_loss(c, fit.at[0], fit.at[1]);
    for (double a = -6; a <= 6; a += 0.25) {
      for (double b = -6; b <= 6; b += 0.25) EXPECT_LE(loss, sigmoid_loss(c, a, b) + 1e-9);
    }
    for (const double step : {1e-2, 1e-3, 1e-4}) {  // and close by
      for (const auto& [da, db] : {std::pair(1.0, 0.0), {0.0, 1.0}, {1.0, 1.0}, {1.0, -1.0}}) {
        EXPECT_LE(loss, sigmoid_loss(c, fit.at[0] + step * da, fit.at[1] + step * db) + 1e-12 * c.total());
        EXPECT_LE(loss, sigmoid_loss(c, fit.at[0] - step * da, fit.at[1] - step * db) + 1e-12 * c.total());
      }
    }
  }
}

// At the optimum the probabilities have the mean of the targets: the derivative with respect to the offset is 0.
TEST(Sigmoid, ProbabilitiesHaveTheMeanOfTheTargets) {
  const Case c = random_case(7, 500, 1, false, false);
  const Calibration fit = fit_sigmoid(c.scores, c.is_positive, {});
  const double positives = static_cast<double>(std::count(c.is_positive.begin(), c.is_positive.end(), 1));
  double predicted = 0;
  for (const double s : c.scores) predicted += probability(fit, s);
  const double others = 500 - positives;
  EXPECT_NEAR(predicted, positives * (positives + 1) / (positives + 2) + others / (others + 2), 1e-8);
}

TEST(Sigmoid, DoesNotMindTheScaleOfScores) {
  const Case c = random_case(3, 100, 1, false, true);
  const Calibration plain = fit_sigmoid(c.scores, c.is_positive, c.weight);
  for (const double scale : {1e-200, 1e-6, 1e6, 1e200}) {
    Case scaled = c;
    for (double& s : scaled.scores) s *= scale;
    const Calibration fit = fit_sigmoid(scaled.scores, c.is_positive, c.weight);
    for (std::size_t k = 0; k < c.scores.size(); ++k) {
      EXPECT_NEAR(probability(fit, scaled.scores[k]), probability(plain, c.scores[k]), 1e-7);
    }
  }
  Case shifted = c;
  for (double& s : shifted.scores) s += 1e6;
  const Calibration fit = fit_sigmoid(shifted.scores, c.is_positive, c.weight);
  EXPECT_NEAR(probability(fit, 1e6 + 0.5), probability(plain, 0.5), 1e-6);
}

TEST(Sigmoid, PerfectlySeparatedClassesStayFinite) {
  const std::vector<double> scores{-2, -1, 1, 2};
  const std::vector<char> is_positive{0, 0, 1, 1};
  const Calibration fit = fit_sigmoid(scores, is_positive, {});
  EXPECT_LT(fit.at[0], 0);
  EXPECT_GT(probability(fit, 2), 0.7);
  EXPECT_LT(probability(fit, 2), 1);
}

// Independent of pooling: the value at a place is the largest, over blocks that begin at or before it, of the smallest,
// over blocks that end at or after it, of block means (Barlow et al. 1972).
std::vector<double> isotonic_by_definition(const Case& c) {
  std::vector<double> places;
  for (std::size_t k = 0; k < c.scores.size(); ++k) {
    if (c.w(k) > 0) places.push_back(c.scores[k]);
  }
  std::sort(places.begin(), places.end());
  const auto mean_between = [&](double low, double high) {
    double sum = 0;
    double total = 0;
    for (std::size_t k = 0; k < c.scores.size(); ++k) {
      if (c.scores[k] < low || c.scores[k] > high) continue;
      sum += c.w(k) * (c.is_positive[k] != 0 ? 1 : 0);
      total += c.w(k);
    }
    return sum / total;
  };
  const double margin = 1 / (c.total() + 2);
  std::vector<double> values;
  for (const double score : c.scores) {
    double best = 0;
    for (const double left : places) {
      if (left > score) break;
      double smallest = 1;
      for (const double right : places) {
        if (right >= score) smallest = std::min(smallest, mean_between(left, right));
      }
      best = std::max(best, smallest);
    }
    values.push_back(std::clamp(best, margin, 1 - margin));
  }
  return values;
}

TEST(Isotonic, MatchesItsDefinition) {
  for (const Case& c : random_cases()) {
    const Calibration fit = fit_isotonic(c.scores, c.is_positive, c.weight);
    ASSERT_EQ(fit.kind, Calibration::Kind::kIsotonic);
    const std::vector<double> expected = isotonic_by_definition(c);
    for (std::size_t k = 0; k < c.scores.size(); ++k) {
      if (c.w(k) == 0) continue;
      EXPECT_NEAR(probability(fit, c.scores[k]), expected[k], 1e-12);
    }
  }
}

TEST(Isotonic, RisesAndIsNeverCertain) {
  for (const Case& c : random_cases()) {
    const Calibration fit = fit_isotonic(c.scores, c.is_positive, c.weight);
    double last = 0;
    for (double s = -8; s <= 8; s += 0.01) {
      const double p = probability(fit, s);
      EXPECT_GE(p, last - 1e-15);
      EXPECT_GT(p, 0);
      EXPECT_LT(p, 1);
      last = p;
    }
  }
}

TEST(Isotonic, KeepsOnlyThePointsThatMatter) {
  for (const Case& c : random_cases()) {
    const Calibration fit = fit_isotonic(c.scores, c.is_positive, c.weight);
    ASSERT_EQ(fit.at.size(), fit.value.size());
    EXPECT_TRUE(std::is_sorted(fit.at.begin(), fit.at.end(), std::less_equal<>()));
    const std::set<double> values(fit.value.begin(), fit.value.end());
    EXPECT_LE(fit.at.size(), 2 * values.size());
  }
  const std::vector<double> scores{1, 2, 3, 4, 5, 6};
  const Calibration fit = fit_isotonic(scores, std::vector<char>{0, 0, 0, 1, 1, 1}, {});
  EXPECT_EQ(fit.at, (std::vector<double>{1, 3, 4, 6}));
  EXPECT_EQ(fit.value, (std::vector<double>{0.125, 0.125, 0.875, 0.875}));
}

TEST(Calibration, OneClassOnly) {
  const std::vector<double> scores{-1, 0, 2};
  for (const char is_positive : {'\0', '\1'}) {
    const std::vector<char> labels(3, is_positive);
    const double expected = is_positive != 0 ? 0.8 : 0.2;  // (3 + 1) / (3 + 2)
    for (const double s : {-5.0, 0.5, 5.0}) {
      EXPECT_NEAR(probability(fit_sigmoid(scores, labels, {}), s), expected, 1e-9);
      EXPECT_NEAR(probability(fit_isotonic(scores, labels, {}), s), expected, 1e-12);
    }
  }
}

TEST(Calibration, EqualScores) {
  const std::vector<double> scores(4, 0.1);
  const std::vector<char> labels{1, 0, 0, 0};
  const double prior = (1 * 2.0 / 3 + 3 * 1.0 / 5) / 4;  // mean of the targets
  EXPECT_NEAR(probability(fit_sigmoid(scores, labels, {}), 0.1), prior, 1e-9);
  EXPECT_NEAR(probability(fit_isotonic(scores, labels, {}), 0.1), 0.25, 1e-12);
}

TEST(Calibration, NoSampleTellsNothing) {
  EXPECT_EQ(probability(fit_sigmoid({}, {}, {}), 3), 0.5);
  EXPECT_EQ(probability(fit_isotonic({}, {}, {}), 3), 0.5);
  const std::vector<double> one{1};
  const std::vector<double> nothing{0};
  EXPECT_EQ(probability(fit_sigmoid(one, std::vector<char>{1}, nothing), 3), 0.5);
  EXPECT_EQ(probability(fit_isotonic(one, std::vector<char>{1}, nothing), 3), 0.5);
  EXPECT_EQ(probability({}, 0), 0.5);
}

TEST(Calibration, WeightsCountAsRepeats) {
  const Case c = random_case(11, 30, 1, true, true);
  Case repeated;
  for (std::size_t k = 0; k < c.scores.size(); ++k) {
    for (int r = 0; r < static_cast<int>(c.weight[k]); ++r) {
      repeated.scores.push_back(c.scores[k]);
      repeated.is_positive.push_back(c.is_positive[k]);
    }
  }
  for (const auto fit : {fit_sigmoid, fit_isotonic}) {
    const Calibration a = fit(c.scores, c.is_positive, c.weight);
    const Calibration b = fit(repeated.scores, repeated.is_positive, {});
    for (double s = -4; s <= 4; s += 0.1) EXPECT_NEAR(probability(a, s), probability(b, s), 1e-8);
  }
}

TEST(Calibration, BadNumbersAreRefused) {
  const std::vector<char> labels{1, 0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> good{1, 2};
  for (const double bad : {nan, infinity, -infinity}) {
    const std::vector<double> odd{1, bad};
    EXPECT_THROW(fit_sigmoid(odd, labels, {}), Error);
    EXPECT_THROW(fit_isotonic(odd, labels, {}), Error);
    EXPECT_THROW(fit_sigmoid(good, labels, odd), Error);
    EXPECT_THROW(fit_isotonic(good, labels, odd), Error);
    EXPECT_THROW(fit_temperature({odd}, std::vector<std::int32_t>{0}, {}), Error);
  }
  const std::vector<double> negative{1, -1};
  EXPECT_THROW(fit_sigmoid(good, labels, negative), Error);
  EXPECT_THROW(fit_temperature({good}, std::vector<std::int32_t>{2}, {}), Error);
  EXPECT_THROW(fit_temperature({good}, std::vector<std::int32_t>{-1}, {}), Error);
}

double softmax_loss(const std::vector<std::vector<double>>& scores, const std::vector<std::int32_t>& label,
                    const std::vector<double>& weight, double t) {
  double loss = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    double total = 0;
    for (const double s : scores[k]) total += std::exp(t * s);
    loss -= weight[k] * std::log(std::exp(t * scores[k][static_cast<std::size_t>(label[k])]) / total);
  }
  return loss;
}

TEST(Temperature, NoOtherIsMoreLikely) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    std::vector<std::vector<double>> scores;
    std::vector<std::int32_t> label;
    std::vector<double> weight;
    for (int k = 0; k < 60; ++k) {
      label.push_back(static_cast<std::int32_t>(random() % 3));
      scores.emplace_back();
      for (std::int32_t c = 0; c < 3 + k % 3; ++c) scores.back().push_back(noise(random) + (c == label.back() ? 1 : 0));
      weight.push_back(0.5 + static_cast<double>(random() % 3));
    }
    const double t = fit_temperature(scores, label, weight);
    const double loss = softmax_loss(scores, label, weight, t);
    for (double u = -5; u <= 5; u += 0.01) {
      EXPECT_LE(loss, softmax_loss(scores, label, weight, std::exp(u)) + 1e-9);
    }
    // The derivative there is nothing.
    const double step = 1e-5 * t;
    const double rise = softmax_loss(scores, label, weight, t + step) - softmax_loss(scores, label, weight, t - step);
    EXPECT_NEAR(rise / (2 * step), 0, 1e-3);
    for (auto& row : scores) {
      for (double& s : row) s = 1000 * s + 5;
    }
    EXPECT_NEAR(fit_temperature(scores, label, weight), t / 1000, 1e-8 * t);
  }
}

TEST(Temperature, StaysFiniteWhereThereIsNoOptimum) {
  const std::vector<std::int32_t> first{0};
  EXPECT_EQ(fit_temperature({}, {}, {}), 1);
  EXPECT_EQ(fit_temperature({{2, 2, 2}}, first, {}), 1);
  EXPECT_EQ(fit_temperature({{1, 0}}, first, std::vector<double>{0}), 1);
  EXPECT_NEAR(fit_temperature({{4, 2}}, first, {}), 500, 1e-6);
  EXPECT_NEAR(fit_temperature({{2, 4}}, first, {}), 0.0005, 1e-12);
}

}  // namespace
}  // namespace clade
