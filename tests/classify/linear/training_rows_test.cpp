#include "classify/linear/training_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "classify/linear/feature_scale.h"
#include "classify/linear/one_vs_rest.h"
#include "core/large_memory.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kSamples = 23;
constexpr Index kFeatures = 9;

// Some zeros, a feature that is always 0, a constant one, and a sample without values.
Dataset random_data(bool is_dense) {
  RandomStream random(5, {kTestStream, 1});
  std::vector<double> dense;
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> columns;
  std::vector<double> values;
  std::vector<std::vector<std::string>> labels;
  for (Index s = 0; s < kSamples; ++s) {
    for (FeatureIndex f = 0; f < kFeatures; ++f) {
      const bool is_zero = s == 7 || f == 4 || random.uniform() < 0.3;
      const double value = is_zero ? 0 : f == 6 ? 2.5 : random.normal();
      dense.push_back(value);
      if (value == 0) continue;
      columns.push_back(f);
      values.push_back(value);
    }
    offsets.push_back(std::ssize(columns));
    labels.push_back({s % 2 == 0 ? "a" : "b"});
  }
  TaxonomyBuilder builder("test");
  builder.edge("root", "a");
  builder.edge("root", "b");
  const Taxonomy taxonomy = builder.build();
  return is_dense ? dense_dataset(dense, kFeatures, labels, taxonomy)
                  : sparse_dataset(offsets, columns, values, kFeatures, labels, taxonomy);
}

class MadeRows : public ::testing::Test {
 protected:
  void TearDown() override { set_memory_limit(std::numeric_limits<double>::infinity()); }

  // The same rows with and without memory for copies.
  static std::pair<TrainingRows, TrainingRows> both(const Dataset& data, std::span<const Index> samples,
                                                    RowOptions options) {
    Context ctx({.threads = 2});
    options.may_be_made = true;
    TrainingRows copied = training_rows(data, samples, options, ctx);
    set_memory_limit(1);
    TrainingRows made = training_rows(data, samples, options, ctx);
    options.may_be_made = false;
    EXPECT_FALSE(training_rows(data, samples, options, ctx).maker);
    set_memory_limit(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(copied.maker);
    EXPECT_TRUE(made.maker);
    return {std::move(copied), std::move(made)};
  }

  static void expect_same(const TrainingRows& copied, const TrainingRows& made) {
    EXPECT_EQ(made.features, copied.features);
    EXPECT_EQ(made.nonzeros(), copied.nonzeros());
    ASSERT_EQ(made.rows(), copied.rows());
    for (Index k = 0; k < 3 * made.rows(); ++k) {
      const Index r = 7 * k % made.rows();
      EXPECT_TRUE(std::ranges::equal(made.columns_of(r), copied.columns_of(r))) << r;
      EXPECT_TRUE(std::ranges::equal(made.values_of(r), copied.values_of(r))) << r;
    }
  }
};

const std::vector<Index> kSome{3, 0, 7, 22, 11, 12, 13, 3, 8, 1};

TEST_F(MadeRows, AreThoseThatAreCopied) {
  const std::vector<FeatureIndex> chosen{0, 2, 4, 6, 8};
  Context ctx({.threads = 1});
  for (const bool is_dense : {true, false}) {
    const Dataset whole = random_data(is_dense);
    const Dataset part = whole.subset({22, 20, 18, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 1, 2, 9, 11, 13, 15});
    for (const Dataset& data : {whole, part}) {
      const FeatureScale scale = is_dense ? standard_scale(data, ctx) : FeatureScale();
      for (const bool has_unit_length : {false, true}) {
        for (const auto& features : {std::vector<FeatureIndex>(), chosen}) {
          const auto [copied, made] =
              both(data, kSome, {.features = features, .has_unit_length = has_unit_length, .scale = &scale});
          expect_same(copied, made);
          expect_same(with_constant(copied, 0.5), with_constant(made, 0.5));
        }
      }
    }
  }
}

TEST_F(MadeRows, AreRenumberedAsThoseThatAreCopied) {
  auto [copied, made] = both(random_data(false), kSome, {});
  copied = with_constant(copied, 2);
  made = with_constant(made, 2);
  std::vector<std::int32_t> place;
  std::vector<FeatureIndex> features;
  for (std::int32_t c = 0; c < copied.width(); ++c) place.push_back(2 * c + 1);
  for (FeatureIndex f = 0; f < 2 * copied.width(); ++f) features.push_back(f);
  copied.renumber(place, features);
  made.renumber(place, features);
  expect_same(copied, made);
}

// A row stays while some others are asked for, and threads do not disturb each other.
TEST_F(MadeRows, AreKeptForAWhile) {
  const auto [copied, made] = both(random_data(true), kSome, {});
  const auto check = [&](Index first) {
    for (Index k = 0; k < 200; ++k) {
      const Index r = (first + k) % made.rows();
      const auto columns = made.columns_of(r);
      const auto values = made.values_of(r);
      for (Index other = 1; other < static_cast<Index>(RowMaker::kKept); ++other) {
        made.values_of((r + other) % made.rows());
      }
      EXPECT_TRUE(std::ranges::equal(columns, copied.columns_of(r)));
      EXPECT_TRUE(std::ranges::equal(values, copied.values_of(r)));
    }
  };
  std::thread beside(check, 4);
  check(0);
  beside.join();
  made.maker->will_need(0, made.rows());
}

TEST_F(MadeRows, AreSolvedAsThoseThatAreCopied) {
  for (const bool is_dense : {true, false}) {
    std::vector<Index> samples(kSamples);
    std::iota(samples.begin(), samples.end(), Index{0});
    const auto [copied, made] = both(random_data(is_dense), samples, {});
    std::vector<Index> offsets{0};
    std::vector<std::int32_t> classes;
    for (Index s = 0; s < kSamples; ++s) {
      classes.push_back(static_cast<std::int32_t>(s % 3));
      offsets.push_back(s + 1);
    }
    for (const int threads : {1, 2, 3}) {
      Context ctx({.threads = threads});
      const HingeOptions options{.tolerance = 1e-4, .block = 50};
      const OneVsRestResult one = one_vs_rest_dual(copied, {offsets, classes}, 3, {}, {}, options, ctx);
      const OneVsRestResult other = one_vs_rest_dual(made, {offsets, classes}, 3, {}, {}, options, ctx);
      EXPECT_EQ(one.weights.w, other.weights.w);
      EXPECT_EQ(one.weights.bias, other.weights.bias);
      EXPECT_EQ(one.alpha, other.alpha);
    }
  }
}

// Against the definition, for more samples than a task copies: zeros are left out wherever they stand.
TEST(TrainingRows, AreTheValuesThatAreNotZero) {
  std::vector<Index> samples(2000);
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = static_cast<Index>(5 * k % kSamples);
  const std::vector<FeatureIndex> chosen{0, 2, 4, 6, 8};
  for (const bool is_dense : {true, false}) {
    const Dataset data = random_data(is_dense);
    for (const auto& features : {std::vector<FeatureIndex>(), chosen}) {
      for (const int threads : {1, 2, 3}) {
        Context ctx({.threads = threads});
        const TrainingRows rows = training_rows(data, samples, {.features = features}, ctx);
        ASSERT_EQ(rows.rows(), std::ssize(samples));
        for (std::size_t k = 0; k < samples.size(); ++k) {
          std::vector<std::pair<FeatureIndex, double>> expected;
          data.for_each_value(samples[k], [&](FeatureIndex f, double value) {
            if (value != 0 && (features.empty() || std::ranges::binary_search(features, f))) {
              expected.emplace_back(f, value);
            }
          });
          const auto columns = rows.columns_of(static_cast<Index>(k));
          std::vector<std::pair<FeatureIndex, double>> found;
          for (std::size_t e = 0; e < columns.size(); ++e) {
            found.emplace_back(rows.features[static_cast<std::size_t>(columns[e])],
                               rows.values_of(static_cast<Index>(k))[e]);
          }
          ASSERT_EQ(found, expected) << k;
        }
        EXPECT_EQ(rows.columns.size(), rows.values.size());
        EXPECT_EQ(std::ssize(rows.values), rows.offsets.back());
      }
    }
  }
}

}  // namespace
}  // namespace clade
