#include "induce/distances.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "data/random_data.h"
#include "induce/centroids.h"

namespace clade {
namespace {

CondensedDistances distances_of(const Dataset& data, bool unit, int threads = 1) {
  Context ctx({.threads = threads});
  const ClassSamples classes = class_samples(data);
  const Centroids centroids = class_centroids(data, classes, unit, ctx);
  return euclidean_distances(*linear_gram(centroids, ctx), ctx);
}

// Mean rows by class, in the order of the nodes.
std::map<NodeId, std::vector<double>> centroids_by_definition(const Dataset& data, bool unit) {
  std::map<NodeId, std::vector<double>> sum;
  std::map<NodeId, double> count;
  for (Index s = 0; s < data.samples(); ++s) {
    double square = 0;
    for (const auto& [feature, value] : values_of(data, s)) square += value * value;
    for (const NodeId label : data.labels(s)) {
      sum[label].resize(static_cast<std::size_t>(data.features()), 0);
      ++count[label];
      for (const auto& [feature, value] : values_of(data, s)) {
        sum[label][static_cast<std::size_t>(feature)] += unit && square > 0 ? value / std::sqrt(square) : value;
      }
    }
  }
  for (auto& [label, row] : sum) {
    for (double& value : row) value /= count[label];
  }
  return sum;
}

TEST(Distances, AreThoseOfTheMeansWhateverTheStorage) {
  for (int repeat = 0; repeat < 40; ++repeat) {
    RandomDataOptions options{.samples = 30 + 20 * (repeat % 5),
                              .features = 3 + 30 * (repeat % 4),
                              .nodes = static_cast<NodeId>(4 + 13 * (repeat % 7)),
                              .several_labels = repeat % 2 == 1,
                              .inner_labels = repeat % 3 == 1,
                              .sparse = repeat % 4 < 2,
                              .density = repeat % 4 == 1 ? 0.05 : 0.4};
    options.seed = static_cast<std::uint64_t>(repeat);
    const Dataset data = random_dataset(options);
    for (const bool unit : {false, true}) {
      const auto expected = centroids_by_definition(data, unit);
      const CondensedDistances found = distances_of(data, unit);
      ASSERT_EQ(found.objects(), std::ssize(expected));
      Index i = 0;
      for (auto a = expected.begin(); a != expected.end(); ++a, ++i) {
        Index j = i + 1;
        for (auto b = std::next(a); b != expected.end(); ++b, ++j) {
          double square = 0;
          for (std::size_t f = 0; f < a->second.size(); ++f) {
            square += (a->second[f] - b->second[f]) * (a->second[f] - b->second[f]);
          }
          EXPECT_NEAR(found(i, j), std::sqrt(square), 1e-12);
          EXPECT_EQ(found(i, j), found(j, i));
        }
      }
    }
  }
}

Dataset with_labels(FeatureMatrix matrix, Index classes) {
  std::vector<std::string> names;
  for (Index k = 0; k < classes; ++k) names.push_back("c" + std::to_string(k));
  Dataset::Parts parts;
  parts.taxonomy = flat_taxonomy(names);
  const Index samples = row_count(matrix);
  parts.features = std::move(matrix);
  for (Index s = 0; s < samples; ++s) {
    parts.labels.nodes.push_back(static_cast<NodeId>(1 + s % classes));
    parts.labels.offsets.push_back(s + 1);
  }
  return Dataset(std::move(parts));
}

TEST(Distances, DoNotDependOnTheThreads) {
  for (const bool sparse : {false, true}) {
    RandomStream random(11, {kTestStream});
    const RandomDataOptions options{.samples = 900, .features = 300, .sparse = sparse, .density = sparse ? 0.03 : 0.5};
    const Dataset data = with_labels(random_matrix<double>(options, random), 600);
    const CondensedDistances one = distances_of(data, true, 1);
    for (const int threads : {2, 3}) {
      const CondensedDistances more = distances_of(data, true, threads);
      EXPECT_EQ(std::memcmp(one.data(), more.data(),
                            static_cast<std::size_t>(CondensedDistances::count(600)) * sizeof(double)),
                0);
    }
  }
}

// Classes that differ little compared to how far they are from the origin.
TEST(Distances, KeepTheirDigitsFarFromTheOriginAndIdenticalClassesAreAtZero) {
  for (const bool sparse : {false, true}) {
    RandomStream random(12, {kTestStream});
    constexpr Index kFeatures = 7;
    const RandomDataOptions options{.samples = 12, .features = kFeatures, .sparse = sparse, .density = 1};
    FeatureMatrix matrix = random_matrix<double>(options, random);
    std::visit(
        [&](auto& m) {
          for (auto& value : m.values)
            value = static_cast<std::remove_reference_t<decltype(value)>>(
                1e6 + std::round(1000 * static_cast<double>(value)) / 1024);
          for (Index f = 0; f < kFeatures; ++f) m.values[5 * kFeatures + f] = m.values[2 * kFeatures + f];
        },
        matrix);
    const Dataset data = with_labels(std::move(matrix), 12);
    const CondensedDistances found = distances_of(data, false);
    EXPECT_EQ(found(2, 5), 0);
    for (Index i = 0; i < 12; ++i) {
      for (Index j = i + 1; j < 12; ++j) {
        double square = 0;
        const auto a = values_of(data, i);
        const auto b = values_of(data, j);
        for (FeatureIndex f = 0; f < kFeatures; ++f) square += (a.at(f) - b.at(f)) * (a.at(f) - b.at(f));
        EXPECT_NEAR(found(i, j), std::sqrt(square), 1e-9 * std::sqrt(square));
      }
    }
  }
}

TEST(Distances, ValuesTooLargeAreRefused) {
  DenseMatrix<double> matrix{2, 1, Buffer<double>(2)};
  matrix.values[0] = 1e200;
  matrix.values[1] = -1e200;
  EXPECT_THROW(distances_of(with_labels(std::move(matrix), 2), false), Error);
}

}  // namespace
}  // namespace clade
