#include "classify/linear/feature_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "data/random_data.h"

namespace clade {
namespace {

// Random dense data with feature 1 constant, feature 2 zero and feature 3 far from 0.
Dataset odd_data(std::uint64_t seed, bool is_single = false) {
  RandomDataOptions options{.samples = 57, .features = 6, .single_precision = is_single, .density = 0.8};
  options.seed = seed;
  Dataset::Parts parts = random_parts(options);
  std::visit(
      [](auto& matrix) {
        if constexpr (!requires { matrix.indices; }) {
          using Value = std::decay_t<decltype(matrix.values[0])>;
          for (Index r = 0; r < matrix.rows; ++r) {
            matrix.values[r * matrix.columns + 1] = static_cast<Value>(0.1);
            matrix.values[r * matrix.columns + 2] = 0;
            matrix.values[r * matrix.columns + 3] += 100000;
          }
        }
      },
      parts.features);
  return Dataset(std::move(parts));
}

std::vector<Index> all_samples(const Dataset& data) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(FeatureScale, GivesMeanZeroAndVarianceOne) {
  for (const bool is_single : {false, true}) {
    const Dataset data = odd_data(1, is_single);
    Context ctx({.threads = 2});
    const FeatureScale scale = standard_scale(data, ctx);
    const TrainingRows rows = training_rows(data, all_samples(data), {.scale = &scale}, ctx);
    std::vector<double> sum(rows.features.size(), 0);
    std::vector<double> square(rows.features.size(), 0);
    for (std::size_t e = 0; e < rows.values.size(); ++e) {
      sum[static_cast<std::size_t>(rows.columns[e])] += rows.values[e];
      square[static_cast<std::size_t>(rows.columns[e])] += rows.values[e] * rows.values[e];
    }
    const auto n = static_cast<double>(data.samples());
    for (std::size_t k = 0; k < rows.features.size(); ++k) {
      const bool is_constant = rows.features[k] == 1 || rows.features[k] == 2;
      EXPECT_NEAR(sum[k] / n, 0, 1e-9) << rows.features[k];
      EXPECT_NEAR(square[k] / n, is_constant ? 0 : 1, 1e-9) << rows.features[k];
    }
  }
}

TEST(FeatureScale, ConstantFeaturesVanish) {
  const Dataset data = odd_data(2);
  Context ctx({.threads = 1});
  const FeatureScale scale = standard_scale(data, ctx);
  EXPECT_EQ(scale.factor[1], 0);
  EXPECT_EQ(scale.factor[2], 0);
  for (const std::size_t f : {0U, 3U, 4U, 5U}) EXPECT_GT(scale.factor[f], 0);
  LinearWeights weights{{{1, 1, 1, 1, 1, 1}}, {0}};
  scale.undo({0, 1, 2, 3, 4, 5}, weights);
  EXPECT_EQ(weights.w[0][1], 0);
  EXPECT_EQ(weights.w[0][2], 0);
}

// Decisions on plain features with the weights scaled back are those on scaled ones, for all features and for some.
TEST(FeatureScale, TurnedBackWeightsDecideTheSame) {
  for (const bool is_single : {false, true}) {
    const Dataset data = odd_data(3, is_single);
    Context ctx({.threads = 2});
    const FeatureScale scale = standard_scale(data, ctx);
    for (const std::vector<FeatureIndex>& chosen :
         {std::vector<FeatureIndex>{0, 1, 2, 3, 4, 5}, std::vector<FeatureIndex>{1, 3, 4}}) {
      const TrainingRows scaled = training_rows(data, all_samples(data), {.features = chosen, .scale = &scale}, ctx);
      RandomStream random(4, {kTestStream, 62});
      LinearWeights weights;
      for (int o = 0; o < 3; ++o) {
        weights.bias.push_back(random.normal());
        weights.w.emplace_back();
        for (std::size_t k = 0; k < chosen.size(); ++k) weights.w.back().push_back(random.normal());
      }
      LinearWeights plain = weights;
      scale.undo(scaled.features, plain);
      for (Index s = 0; s < data.samples(); ++s) {
        const std::map<FeatureIndex, double> values = values_of(data, s);
        for (std::size_t o = 0; o < 3; ++o) {
          double expected = weights.bias[o];
          const auto columns = scaled.columns_of(s);
          for (std::size_t e = 0; e < columns.size(); ++e) {
            expected += weights.w[o][static_cast<std::size_t>(columns[e])] * scaled.values_of(s)[e];
          }
          double found = plain.bias[o];
          for (std::size_t k = 0; k < chosen.size(); ++k) found += plain.w[o][k] * values.at(chosen[k]);
          EXPECT_NEAR(found, expected, 1e-8) << s;
        }
      }
    }
  }
}

TEST(FeatureScale, NoneChangesNothing) {
  LinearWeights weights{{{1, 2}}, {3}};
  FeatureScale().undo({4, 7}, weights);
  EXPECT_EQ(weights.w, (std::vector<std::vector<double>>{{1, 2}}));
  EXPECT_EQ(weights.bias, (std::vector<double>{3}));
}

TEST(FeatureScale, SameForAnyNumberOfThreads) {
  const Dataset data = random_dataset({.samples = 9000, .features = 3});
  Context one({.threads = 1});
  const FeatureScale expected = standard_scale(data, one);
  for (const int threads : {2, 3}) {
    Context ctx({.threads = threads});
    const FeatureScale found = standard_scale(data, ctx);
    EXPECT_EQ(found.mean, expected.mean);
    EXPECT_EQ(found.factor, expected.factor);
  }
}

TEST(FeatureScale, ChoicesSuitTheStorage) {
  Context ctx({.threads = 1});
  const Dataset dense = random_dataset({});
  const Dataset sparse = random_dataset({.sparse = true});
  EXPECT_EQ(linear_scale(dense, Scale::kAuto), Scale::kStandard);
  EXPECT_EQ(linear_scale(sparse, Scale::kAuto), Scale::kNone);
  EXPECT_EQ(linear_scale(sparse, Scale::kUnit), Scale::kUnit);
  EXPECT_FALSE(prepared_scale(dense, Scale::kStandard, ctx).features.is_none());
  EXPECT_FALSE(prepared_scale(dense, Scale::kStandard, ctx).has_unit_rows);
  EXPECT_TRUE(prepared_scale(dense, Scale::kNone, ctx).features.is_none());
  EXPECT_TRUE(prepared_scale(dense, Scale::kUnit, ctx).has_unit_rows);
  EXPECT_TRUE(prepared_scale(sparse, Scale::kUnit, ctx).has_unit_rows);
  EXPECT_THROW(prepared_scale(sparse, Scale::kStandard, ctx), Error);
}

}  // namespace
}  // namespace clade
