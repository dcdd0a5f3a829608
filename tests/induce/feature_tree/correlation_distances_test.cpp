#include "induce/feature_tree/correlation_distances.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/random_data.h"

namespace clade {
namespace {

std::vector<double> column(const Dataset& data, FeatureIndex f) {
  std::vector<double> values(static_cast<std::size_t>(data.samples()), 0);
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex g, auto value) {
      if (g == f) values[static_cast<std::size_t>(s)] = static_cast<double>(value);
    });
  }
  return values;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    mean_a += a[k] / n;
    mean_b += b[k] / n;
  }
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - mean_a) * (b[k] - mean_b);
    aa += (a[k] - mean_a) * (a[k] - mean_a);
    bb += (b[k] - mean_b) * (b[k] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(CorrelationDistances, AreOneMinusPearsonsCorrelation) {
  for (const bool sparse : {false, true}) {
    for (const bool single : {false, true}) {
      const Dataset data = random_dataset(
          {.samples = 37, .features = 300, .sparse = sparse, .single_precision = single, .density = 0.3});
      const std::vector<FeatureIndex> features = varying_features(data);
      for (const int threads : {1, 3}) {
        Context ctx({.threads = threads});
        const CondensedDistances distances = correlation_distances(data, features, ctx);
        ASSERT_EQ(distances.objects(), std::ssize(features));
        for (Index i = 0; i < distances.objects(); i += 7) {
          for (Index j = i + 1; j < distances.objects(); j += 3) {
            const double r = correlation(column(data, features[static_cast<std::size_t>(i)]),
                                         column(data, features[static_cast<std::size_t>(j)]));
            EXPECT_NEAR(distances(i, j), 1 - r, 1e-12);
          }
        }
      }
    }
  }
}

Dataset table(std::vector<std::vector<double>> rows) {
  const auto columns = static_cast<Index>(rows[0].size());
  DenseMatrix<double> matrix{std::ssize(rows), columns, Buffer<double>(std::ssize(rows) * columns)};
  LabelSets labels;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::ranges::copy(rows[r], matrix.values.begin() + static_cast<Index>(r) * columns);
    labels.nodes.push_back(1);
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  const std::vector<std::string> names{"a"};
  return Dataset({.features = std::move(matrix), .labels = std::move(labels), .taxonomy = flat_taxonomy(names)});
}

TEST(CorrelationDistances, ConstantFeaturesAreLeftOut) {
  EXPECT_EQ(varying_features(table({{1, 0, 5, 2}, {1, 0, 6, 2}, {1, 0, 5, 3}})), (std::vector<FeatureIndex>{2, 3}));
  EXPECT_EQ(varying_features(table({{1, 2}})), std::vector<FeatureIndex>());
}

TEST(CorrelationDistances, LargeAndSmallValuesDoNotOverflow) {
  Context ctx;
  const Dataset data = table({{1e300, 1e-300, 1}, {-1e300, 2e-300, 2}, {3e300, 0, 0}});
  const CondensedDistances distances = correlation_distances(data, varying_features(data), ctx);
  EXPECT_NEAR(distances(1, 2), 0, 1e-15);
  EXPECT_NEAR(distances(0, 1), 1 - correlation({1, -1, 3}, {1, 2, 0}), 1e-12);
}

}  // namespace
}  // namespace clade
