#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace clade {
namespace {

TEST(RandomStream, SameNameSameNumbers) {
  RandomStream a(7, {1, 2});
  RandomStream b(7, {1, 2});
  for (int k = 0; k < 100; ++k) EXPECT_EQ(a.next(), b.next());
}

TEST(RandomStream, OtherNamesAreOtherStreams) {
  std::set<std::uint64_t> first;
  first.insert(RandomStream(7).next());
  first.insert(RandomStream(8).next());
  first.insert(RandomStream(7, {0}).next());
  first.insert(RandomStream(7, {1}).next());
  first.insert(RandomStream(7, {1, 2}).next());
  first.insert(RandomStream(7, {2, 1}).next());
  for (std::uint64_t k = 0; k < 1000; ++k) first.insert(RandomStream(7, {3, k}).next());
  EXPECT_EQ(first.size(), 1006U);
}

// xoshiro256** from the state {1, 2, 3, 4} begins with these numbers (its authors' reference output); our seeding
// cannot set that state, so the recurrence is checked against a second implementation instead.
TEST(RandomStream, FollowsTheRecurrence) {
  RandomStream stream(123, {4, 5});
  std::uint64_t key = 123;
  const auto splitmix = [](std::uint64_t& x) {
    x += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  };
  for (const std::uint64_t part : {4ULL, 5ULL}) {
    std::uint64_t word = splitmix(key) ^ part;
    key = splitmix(word);
  }
  std::uint64_t s[4];
  for (auto& word : s) word = splitmix(key);
  const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  for (int k = 0; k < 1000; ++k) {
    const std::uint64_t expected = rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    ASSERT_EQ(stream.next(), expected);
  }
}

TEST(RandomStream, UniformAndNormalHaveTheirMoments) {
  RandomStream random(1);
  const int n = 400'000;
  double u = 0;
  double u2 = 0;
  double z = 0;
  double z2 = 0;
  double z4 = 0;
  for (int k = 0; k < n; ++k) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    u += x;
    u2 += x * x;
    const double y = random.normal();
    z += y;
    z2 += y * y;
    z4 += y * y * y * y;
  }
  // Five standard errors of each mean.
  EXPECT_NEAR(u / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(u2 / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  EXPECT_NEAR(z / n, 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(z2 / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(z4 / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(RandomStream, BelowIsEvenAndInRange) {
  RandomStream random(2);
  std::vector<int> count(7, 0);
  const int n = 70'000;
  for (int k = 0; k < n; ++k) {
    const Index draw = random.below(7);
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 7);
    ++count[static_cast<std::size_t>(draw)];
  }
  double chi2 = 0;
  for (const int c : count) chi2 += (c - n / 7.0) * (c - n / 7.0) / (n / 7.0);
  EXPECT_LT(chi2, 27.9);  // 6 degrees of freedom, p = 1e-4
}

TEST(RandomStream, ShuffleIsAPermutationAndReachesAllOrders) {
  RandomStream random(3);
  std::set<std::vector<int>> orders;
  for (int k = 0; k < 1000; ++k) {
    std::vector<int> items{1, 2, 3, 4};
    random.shuffle(std::span(items));
    EXPECT_EQ(std::set<int>(items.begin(), items.end()).size(), 4U);
    orders.insert(items);
  }
  EXPECT_EQ(orders.size(), 24U);
}

}  // namespace
}  // namespace clade
