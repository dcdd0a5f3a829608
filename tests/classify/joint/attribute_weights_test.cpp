#include "classify/joint/attribute_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "classify/joint/linear_scores.h"
#include "core/random.h"

namespace clade {
namespace {

template <class T>
class AttributeWeightsTest : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AttributeWeightsTest, Numbers);

struct SparseRow {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

SparseRow random_row(RandomStream& random, Index features) {
  SparseRow row;
  for (Index f = 0; f < features; ++f) {
    if (random.uniform() >= 0.4) continue;
    row.columns.push_back(static_cast<std::int32_t>(f));
    row.values.push_back(random.normal());
  }
  return row;
}

std::vector<AttributeChange> random_changes(RandomStream& random, Index attributes, Index most) {
  std::vector<std::int32_t> chosen;
  for (Index k = 0; k < most; ++k) chosen.push_back(static_cast<std::int32_t>(random.below(attributes)));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<AttributeChange> changes;
  for (const std::int32_t z : chosen) changes.push_back({z, random.normal()});
  return changes;
}

// Few attributes are full rows at once; of many, lists grow into full rows on the way, row after row.
TYPED_TEST(AttributeWeightsTest, AreAPlainMatrix) {
  using T = TypeParam;
  const double rounding = 200 * static_cast<double>(std::numeric_limits<T>::epsilon());
  RandomStream random(8, {kTestStream, 31});
  for (const Index attributes : {1, 7, 32, 33, 64, 200, 1000}) {
    Index features = 9;
    AttributeWeights<T> weights(features, attributes);
    std::vector<std::vector<double>> plain(20, std::vector<double>(static_cast<std::size_t>(attributes), 0));
    EXPECT_GE(weights.stride(), attributes);
    for (int step = 0; step < 120; ++step) {
      if (step == 40) {
        features = 14;
        weights.grow(features);
        weights.grow(3);  // never shrinks
        EXPECT_EQ(weights.features(), features);
      }
      const SparseRow row = random_row(random, features);
      const auto changes = random_changes(random, attributes, 1 + step % 5);
      weights.add(row.columns, row.values, changes);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        for (const AttributeChange& c : changes) {
          plain[static_cast<std::size_t>(row.columns[k])][static_cast<std::size_t>(c.attribute)] +=
              row.values[k] * c.value;
        }
      }
      if (step % 10 != 9) continue;
      const SparseRow x = random_row(random, features);
      std::vector<T> out(static_cast<std::size_t>(weights.stride()), T(77));
      weights.product(x.columns, x.values, out.data());
      std::vector<std::int32_t> wanted;
      for (Index z = 0; z < attributes; z += 3) wanted.push_back(static_cast<std::int32_t>(z));
      std::vector<T> part(static_cast<std::size_t>(weights.stride()));
      weights.product_at(x.columns, x.values, wanted, part.data());
      for (std::size_t z = 0; z < out.size(); ++z) {
        double expected = 0;
        for (std::size_t k = 0; k < x.columns.size() && z < plain[0].size(); ++k) {
          expected += x.values[k] * plain[static_cast<std::size_t>(x.columns[k])][z];
        }
        EXPECT_NEAR(static_cast<double>(out[z]), expected, rounding) << attributes << " attributes, step " << step;
        if (z < plain[0].size() && z % 3 == 0) {
          EXPECT_NEAR(static_cast<double>(part[z]), expected, rounding);
        }
      }
    }
    for (Index f = 0; f < features; ++f) {
      std::vector<double> found(static_cast<std::size_t>(attributes), 0);
      std::int32_t before = -1;
      weights.for_each(f, [&](std::int32_t z, T value) {
        EXPECT_GT(z, before);
        EXPECT_NE(value, 0);
        before = z;
        found[static_cast<std::size_t>(z)] = static_cast<double>(value);
      });
      for (std::size_t z = 0; z < found.size(); ++z) {
        EXPECT_NEAR(found[z], plain[static_cast<std::size_t>(f)][z], rounding);
      }
    }
  }
}

TYPED_TEST(AttributeWeightsTest, KeepOnlyWhatIsTouched) {
  constexpr Index kFeatures = 5000;
  constexpr Index kAttributes = 4000;
  AttributeWeights<TypeParam> weights(kFeatures, kAttributes);
  EXPECT_EQ(weights.stored(), 0);
  const std::vector<AttributeChange> changes{{3, 1.0}, {17, -1.0}, {3999, 2.0}};
  for (Index f = 0; f < kFeatures; f += 2) weights.add(f, 0.5, changes);
  EXPECT_EQ(weights.stored(), kFeatures / 2 * 3);
  // A change of nothing takes no place.
  weights.add(1, 0.0, changes);
  weights.add(1, 1.0, {});
  EXPECT_EQ(weights.stored(), kFeatures / 2 * 3);
  // A list that has grown long is a full row; the others stay.
  std::vector<AttributeChange> all;
  for (std::int32_t z = 0; z < kAttributes; ++z) all.push_back({z, 1.0});
  weights.add(0, 1.0, all);
  EXPECT_EQ(weights.stored(), (kFeatures / 2 - 1) * 3 + weights.stride());
  double sum = 0;
  weights.for_each(0, [&](std::int32_t, TypeParam value) { sum += static_cast<double>(value); });
  EXPECT_EQ(sum, static_cast<double>(kAttributes) + 0.5 * (1 - 1 + 2));
}

TYPED_TEST(AttributeWeightsTest, AFullRowIsTheSameWhicheverWayItGrew) {
  AttributeWeights<TypeParam> slowly(1, 100);
  AttributeWeights<TypeParam> at_once(1, 100);
  std::vector<AttributeChange> all;
  for (std::int32_t z = 0; z < 100; ++z) {
    const AttributeChange one{z, 1.0 / (z + 1)};
    slowly.add(0, 3.0, {&one, 1});
    all.push_back(one);
  }
  at_once.add(0, 3.0, all);
  std::vector<TypeParam> a(static_cast<std::size_t>(slowly.stride()));
  std::vector<TypeParam> b = a;
  const std::int32_t feature = 0;
  const double one = 1;
  slowly.product({&feature, 1}, {&one, 1}, a.data());
  at_once.product({&feature, 1}, {&one, 1}, b.data());
  EXPECT_EQ(a, b);
}

TEST(LinearScores, InnerProductsAndSquares) {
  RandomStream random(9, {kTestStream, 32});
  TrainingRows rows;
  for (FeatureIndex f = 0; f < 12; ++f) rows.features.push_back(f);
  std::vector<std::vector<double>> plain;
  for (int i = 0; i < 10; ++i) {
    const SparseRow row = random_row(random, 12);
    rows.columns.insert(rows.columns.end(), row.columns.begin(), row.columns.end());
    rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
    rows.offsets.push_back(std::ssize(rows.columns));
    auto& full = plain.emplace_back(12, 0.0);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      full[static_cast<std::size_t>(row.columns[k])] = row.values[k];
    }
  }
  LinearScores<double> scores(rows, 3);
  for (Index i = 0; i < 10; ++i) {
    scores.begin_inner(i);
    for (Index j = 0; j < 10; ++j) {
      double expected = 0;
      for (std::size_t f = 0; f < 12; ++f) {
        expected += plain[static_cast<std::size_t>(i)][f] * plain[static_cast<std::size_t>(j)][f];
      }
      EXPECT_NEAR(scores.inner(j), expected, 1e-12);
      if (i == j) {
        EXPECT_NEAR(scores.square(i), expected, 1e-12);
      }
    }
    scores.end_inner(i);
  }
}

}  // namespace
}  // namespace clade
