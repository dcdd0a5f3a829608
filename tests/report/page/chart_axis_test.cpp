#include "report/page/chart_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clade {
namespace {

TEST(ChartAxis, TicksAreFewRoundAndInside) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> power(-12, 12);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  for (int k = 0; k < 2000; ++k) {
    double low = mantissa(random) * std::pow(10, power(random));
    double high = mantissa(random) * std::pow(10, power(random));
    if (low > high) std::swap(low, high);
    const ChartScale scale = scale_of(low, high, false);
    EXPECT_LT(scale.low, low);
    EXPECT_GT(scale.high, high);
    const std::vector<double> ticks = scale.ticks(5);
    EXPECT_GE(ticks.size(), 2U);
    EXPECT_LE(ticks.size(), 6U);
    for (const double tick : ticks) {
      EXPECT_GE(scale.share(tick), -1e-6);
      EXPECT_LE(scale.share(tick), 1 + 1e-6);
    }
  }
}

TEST(ChartAxis, LogarithmicTicksHaveOneOrTwoDigits) {
  for (const double high : {1.1, 2.0, 9.0, 35.0, 1e3, 1e7, 1e30}) {
    const ChartScale scale = scale_of(1, high, true);
    EXPECT_NEAR(scale.share(std::sqrt(scale.low * scale.high)), 0.5, 1e-12);
    const std::vector<double> ticks = scale.ticks(6);
    EXPECT_GE(ticks.size(), 2U) << high;
    EXPECT_LE(ticks.size(), 9U) << high;
    for (std::size_t k = 1; k < ticks.size(); ++k) EXPECT_GT(ticks[k], ticks[k - 1]);
  }
}

TEST(ChartAxis, NumbersThatDoNotGrowByOneHaveTicksToo) {
  const ChartScale scale = scale_of(1e17, 1e17 + 64, false);
  EXPECT_LE(scale.ticks(5).size(), 7U);
}

TEST(ChartAxis, SpreadsThatALogarithmShows) {
  EXPECT_TRUE(suits_log({0.001, 0.01, 0.1, 1, 10}));
  EXPECT_TRUE(suits_log({10, 50, 100, 400}));
  EXPECT_FALSE(suits_log({1, 2, 3, 4, 5}));
  EXPECT_FALSE(suits_log({0, 1, 100, 10000}));
  EXPECT_FALSE(suits_log({5}));
}

TEST(ChartAxis, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(fitted("short", 200, 13), "short");
  const std::string name = "a recipe with a very long name and many parameters select=hier-fisher top=12";
  const std::string cut = fitted(name, 150, 13);
  EXPECT_LE(chart_text_width(cut, 13), 150);
  EXPECT_TRUE(cut.ends_with("top=12")) << cut;
  EXPECT_TRUE(cut.starts_with("a ")) << cut;
  // Whole characters are cut, also of several bytes.
  const std::string wide = fitted("数据数据数据数据数据数据数据数据数据数据数据", 80, 13);
  for (std::size_t k = 0; k < wide.size(); k += 3) EXPECT_GE(static_cast<unsigned char>(wide[k]), 0xE0U);
}

}  // namespace
}  // namespace clade
