#include "report/critical_distance_diagram.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"

namespace clade {
namespace {

// Every run whose ends are less than the distance apart and that no longer such run holds.
std::vector<RankGroup> groups_by_definition(const std::vector<double>& ranks, double distance) {
  std::vector<RankGroup> groups;
  const auto joined = [&](std::size_t i, std::size_t j) { return ranks[j] - ranks[i] < distance; };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t j = i + 1; j < ranks.size(); ++j) {
      const bool longer = (i > 0 && joined(i - 1, j)) || (j + 1 < ranks.size() && joined(i, j + 1));
      if (joined(i, j) && !longer) groups.push_back({i, j});
    }
  }
  return groups;
}

TEST(UndistinguishedGroups, AreTheLongestRuns) {
  RandomStream random(10, {kTestStream});
  for (int repeat = 0; repeat < 500; ++repeat) {
    std::vector<double> ranks;
    for (Index k = random.below(12) + 2; k > 0; --k) ranks.push_back(1 + static_cast<double>(random.below(40)) / 4);
    std::sort(ranks.begin(), ranks.end());
    const double distance = 0.1 + 4 * random.uniform();
    const auto found = undistinguished_groups(ranks, distance);
    const auto expected = groups_by_definition(ranks, distance);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].first, expected[k].first);
      EXPECT_EQ(found[k].last, expected[k].last);
    }
  }
}

TEST(CriticalDistanceSvg, NamesAreEscapedAndControlCharactersReplaced) {
  const std::string svg = critical_distance_svg(
      {.title = "a<b", .methods = {"<script>", "x & \"y\"", "bell\x07"}, .average_ranks = {1, 2, 3}, .distance = 0.5});
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("x &amp; &quot;y&quot;"), std::string::npos);
  EXPECT_NE(svg.find("bell\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(svg.find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace clade
