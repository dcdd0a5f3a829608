#include "data/kernel/subsequence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "data/kernel/kernel_cases.h"
#include "math/decompositions.h"

namespace clade {
namespace {

using testing::all_values;

std::vector<double> symbols(std::string_view text) {
  return {text.begin(), text.end()};
}

// Every subsequence of the given length with the sum of decay^(its span) over its occurrences: all choices of
// positions.
std::map<std::string, double> weights(const std::string& text, std::size_t length, double decay) {
  std::map<std::string, double> sum;
  for (unsigned chosen = 0; chosen < 1U << text.size(); ++chosen) {
    std::string word;
    int first = -1;
    int last = -1;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if ((chosen >> k & 1U) == 0) continue;
      if (first < 0) first = static_cast<int>(k);
      last = static_cast<int>(k);
      word += text[k];
    }
    if (word.size() == length) sum[word] += std::pow(decay, last - first + 1);
  }
  return sum;
}

double plain(const std::string& s, const std::string& t, std::size_t length, double decay) {
  double sum = 0;
  const auto of_t = weights(t, length, decay);
  for (const auto& [word, weight] : weights(s, length, decay)) {
    const auto found = of_t.find(word);
    if (found != of_t.end()) sum += weight * found->second;
  }
  return sum;
}

std::string random_string(RandomStream& random, Index longest, Index letters) {
  std::string text(static_cast<std::size_t>(random.below(longest + 1)), ' ');
  for (char& c : text) c = static_cast<char>('a' + random.below(letters));
  return text;
}

TEST(Subsequence, IsTheSumOverAllSubsequences) {
  RandomStream random(1, {kTestStream, 60});
  for (int round = 0; round < 60; ++round) {
    const auto length = static_cast<std::size_t>(1 + random.below(5));
    const double decay = round % 3 == 0 ? 1 : 0.05 + 0.9 * random.uniform();
    const std::string s = random_string(random, 10, 3);
    std::vector<std::string> texts;
    for (int k = 0; k < 19; ++k) texts.push_back(random_string(random, 10, 3));
    std::vector<std::vector<double>> strings;
    for (const std::string& t : texts) strings.push_back(symbols(t));
    const std::vector<std::span<const double>> others(strings.begin(), strings.end());
    std::vector<double> values(others.size());
    SubsequenceKernel(static_cast<int>(length), decay).values(symbols(s), others, values);
    const double unscaled = std::pow(decay, 2 * static_cast<double>(length));
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const double expected = plain(s, texts[k], length, decay);
      ASSERT_NEAR(values[k] * unscaled, expected, 1e-12 * std::max(1.0, expected))
          << s << " " << texts[k] << " " << length << " " << decay;
    }
  }
}

// The worked example of the literature: "cat" and "car" share "ca": lambda^4 / (2 lambda^4 + lambda^6) = 1 / (2 +
// lambda^2).
TEST(Subsequence, CatAndCar) {
  Context ctx;
  const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = 2, .decay = 0.5};
  KernelArrays arrays{.width = 3};
  testing::add_string(arrays, symbols("cat"));
  testing::add_string(arrays, symbols("car"));
  const KernelSamples samples(std::move(arrays), options, ctx);
  const Matrix values = all_values(samples, samples, options);
  EXPECT_DOUBLE_EQ(values(0, 1), 1 / (2 + 0.25));
  EXPECT_EQ(values(0, 0), 1);
}

TEST(Subsequence, NormalisedIsSymmetricAndPositive) {
  Context ctx;
  RandomStream random(2, {kTestStream, 61});
  for (const int length : {1, 2, 4}) {
    const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = length, .decay = 0.7};
    const KernelSamples samples(testing::random_strings(60, 25, 4, random), options, ctx);
    const Matrix values = all_values(samples, samples, options);
    Index short_strings = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      const bool is_short = std::ssize(samples.values_of(i)) < length;
      short_strings += is_short ? 1 : 0;
      EXPECT_EQ(values(i, i), is_short ? 0 : 1);
      if (is_short) {
        EXPECT_EQ(values.row(i).cwiseAbs().maxCoeff(), 0);
      }
    }
    EXPECT_EQ(samples.short_strings(), short_strings);
    EXPECT_LE(values.maxCoeff(), 1);
    EXPECT_GE(values.minCoeff(), 0);
    EXPECT_LT((values - values.transpose()).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_GT(symmetric_eigenvalues(values)(0), -1e-12);
  }
}

// Published values of this size are far below the smallest number: 0.0001^(2 x 50) = 1e-400.
TEST(Subsequence, SmallDecayAndLongSubsequences) {
  Context ctx;
  const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = 50, .decay = 0.0001};
  KernelArrays arrays{.width = 200};
  for (const char* const unit : {"abcdefghij", "bcdefghija", "klmnopqrst"}) {
    std::string text;
    for (int k = 0; k < 20; ++k) text += unit;
    testing::add_string(arrays, symbols(text));
  }
  const KernelSamples samples(std::move(arrays), options, ctx);
  const Matrix values = all_values(samples, samples, options);
  EXPECT_EQ(values(0, 0), 1);
  // Where nothing is left out, "ab..." and "bc..." have nearly the same substrings: 151 each, of 10 kinds.
  EXPECT_GT(values(0, 1), 0.99);
  EXPECT_EQ(values(0, 2), 0);
  EXPECT_EQ(samples.short_strings(), 0);
}

TEST(Subsequence, WhatIsBeyondAllNumbersIsAnError) {
  Context ctx;
  const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = 200, .decay = 1};
  KernelArrays arrays{.width = 700};
  testing::add_string(arrays, std::vector<double>(700, 'a'));
  try {
    const KernelSamples samples(std::move(arrays), options, ctx);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    EXPECT_EQ(error.expected(), "expected a smaller `subsequence-length` or `decay`");
  }
}

// A value does not depend on the company in which it is computed.
TEST(Subsequence, CompanyDoesNotMatter) {
  Context ctx;
  RandomStream random(3, {kTestStream, 62});
  const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = 3, .decay = 0.3};
  const KernelSamples samples(testing::random_strings(40, 60, 5, random), options, ctx);
  const Matrix values = all_values(samples, samples, options);
  for (Index i = 0; i < 40; i += 7) {
    for (Index j = 0; j < 40; ++j) {
      double alone = 0;
      samples.part_of_row(options, samples, i, j, {&alone, 1});
      ASSERT_EQ(alone, values(i, j));
    }
  }
}

}  // namespace
}  // namespace clade
