#include "data/scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/random_data.h"

namespace clade {
namespace {

std::vector<std::vector<double>> rows_of(const Dataset& data) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(data.samples()),
                                        std::vector<double>(static_cast<std::size_t>(data.features()), 0));
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      rows[static_cast<std::size_t>(s)][static_cast<std::size_t>(f)] = static_cast<double>(v);
    });
  }
  return rows;
}

TEST(Scale, FeaturesAndSamplesGetTheScaleThatIsAskedFor) {
  for (const bool sparse : {false, true}) {
    const Dataset data = random_dataset({.samples = 30, .features = 6, .sparse = sparse, .seed = 4});
    const auto standard = rows_of(scaled(data, Scale::kStandard, false));
    const auto range = rows_of(scaled(data, Scale::kMinMax, false));
    for (std::size_t f = 0; f < 6; ++f) {
      double mean = 0, square = 0, low = 1e9, high = -1e9;
      for (std::size_t s = 0; s < 30; ++s) {
        mean += standard[s][f] / 30;
        square += standard[s][f] * standard[s][f] / 30;
        low = std::min(low, range[s][f]);
        high = std::max(high, range[s][f]);
      }
      EXPECT_NEAR(mean, 0, 1e-12);
      EXPECT_NEAR(square, 1, 1e-12);
      EXPECT_EQ(low, 0);
      EXPECT_NEAR(high, 1, 1e-12);
    }
    const Dataset unit = scaled(data, Scale::kUnit, true);
    EXPECT_EQ(is_sparse(unit.matrix()), sparse);
    EXPECT_EQ(unit.features(), 7);
    const auto before = rows_of(data);
    const auto after = rows_of(unit);
    for (std::size_t s = 0; s < 30; ++s) {
      double square = 0, was = 0;
      for (std::size_t f = 0; f < 6; ++f) {
        square += after[s][f] * after[s][f];
        was += before[s][f] * before[s][f];
      }
      EXPECT_NEAR(square, was > 0 ? 1 : 0, 1e-12);
      EXPECT_EQ(after[s][6], 1);
    }
  }
}

}  // namespace
}  // namespace clade
