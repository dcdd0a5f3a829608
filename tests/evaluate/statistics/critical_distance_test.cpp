#include <clade/compare.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "evaluate/statistics/distributions.h"

namespace clade {
namespace {

TEST(CriticalDistance, IsWhereThePValueIsAlpha) {
  for (const Index k : {2, 3, 5, 10, 30, 200, 1000}) {
    for (const double alpha : {1e-12, 1e-6, 0.001, 0.05, 0.1, 0.5, 0.9, 0.999}) {
      const CriticalDistance nemenyi = nemenyi_distance(k, 12, alpha);
      EXPECT_NEAR(nemenyi_p(nemenyi.distance, k, 12) / alpha, 1, 1e-9) << k << " " << alpha;
      const CriticalDistance dunn = bonferroni_dunn_distance(k, 12, alpha);
      EXPECT_NEAR(bonferroni_dunn_p(dunn.distance, k, 12) / alpha, 1, 1e-9) << k << " " << alpha;
    }
  }
}

// The range of two normal values is |N(0, 2)|: Nemenyi and Bonferroni-Dunn are then the same.
TEST(CriticalDistance, OfTwoMethodsIsThatOfANormalDifference) {
  for (const double alpha : {1e-10, 0.01, 0.05, 0.3, 0.8}) {
    EXPECT_NEAR(nemenyi_distance(2, 7, alpha).q, bonferroni_dunn_distance(2, 7, alpha).q, 1e-10);
  }
  for (const double difference : {0.0, 0.1, 0.7, 1.0}) {
    EXPECT_NEAR(nemenyi_p(difference, 2, 40), bonferroni_dunn_p(difference, 2, 40), 1e-13);
  }
}

TEST(NormalRange, AgreesWithDraws) {
  RandomStream random(7, {kTestStream});
  constexpr int kDraws = 40'000;
  for (const int count : {3, 8}) {
    int above = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      double low = random.normal();
      double high = low;
      for (int k = 1; k < count; ++k) {
        const double value = random.normal();
        low = std::min(low, value);
        high = std::max(high, value);
      }
      above += high - low > 3.2 ? 1 : 0;
    }
    const double p = normal_range_above(3.2, count);
    EXPECT_NEAR(static_cast<double>(above) / kDraws, p, 5 * std::sqrt(p * (1 - p) / kDraws));
  }
}

TEST(NormalRange, FallsFromOneToZero) {
  for (const double count : {2.0, 5.0, 100.0}) {
    EXPECT_EQ(normal_range_above(0, count), 1);
    EXPECT_NEAR(normal_range_above(1e-9, count), 1, 1e-8);
    double before = 1;
    for (double q = 0.25; q < 50; q += 0.25) {
      const double p = normal_range_above(q, count);
      EXPECT_LE(p, before + 1e-14);
      before = p;
    }
    EXPECT_LT(before, 1e-200);
    EXPECT_EQ(normal_range_above(1e6, count), 0);
  }
}

TEST(CriticalDistance, WrongArgumentsAreRefused) {
  for (const double alpha : {0.0, 1.0, -0.1, 2.0, std::nan("")}) {
    EXPECT_THROW(nemenyi_distance(3, 5, alpha), Error);
    EXPECT_THROW(bonferroni_dunn_distance(3, 5, alpha), Error);
  }
  EXPECT_THROW(nemenyi_distance(1, 5, 0.05), Error);
  EXPECT_THROW(bonferroni_dunn_p(1, 3, 0), Error);
}

}  // namespace
}  // namespace clade
