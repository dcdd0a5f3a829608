#include <gmock/gmock.h>

#include "select/unsupervised/nearest_neighbours.h"
#include "select/unsupervised/neighbour_graph.h"
#include "select/unsupervised/unsupervised_support.h"

namespace clade {
namespace {

using namespace clade::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NearestNeighbours neighbours(const Dataset& data, Index count, int threads = 2) {
  Context ctx({.threads = threads});
  return nearest_neighbours(data, count, ctx);
}

void expect_brute_force(const Dataset& data, Index count) {
  const NaiveMatrix x = dense_values(data);
  const NearestNeighbours found = neighbours(data, count);
  for (Index s = 0; s < data.samples(); ++s) {
    const auto expected = naive_neighbours(x, s, count);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_EQ(found.of(s)[k], expected[k].second) << "sample " << s << ", place " << k;
      ASSERT_NEAR(found.squares_of(s)[k], expected[k].first, 1e-12 * (1 + expected[k].first));
    }
  }
}

// Whole numbers have many ties, and sums of their squares are exact.
NaiveMatrix whole_numbers(Index samples, Index features, Index levels, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 8});
  NaiveMatrix x(samples, features);
  for (double& value : x.reshaped()) value = static_cast<double>(random.below(levels));
  return x;
}

TEST(NearestNeighbours, AreThoseOfBruteForce) {
  for (const Index samples : {2, 6, 257, 700}) {  // more than a strip, more than a tile
    for (const bool sparse : {false, true}) {
      RandomDataOptions options{.samples = samples, .features = 9, .sparse = sparse, .density = sparse ? 0.1 : 1};
      expect_brute_force(random_dataset(options), std::min<Index>(5, samples - 1));
      options.single_precision = true;
      expect_brute_force(random_dataset(options), std::min<Index>(5, samples - 1));
    }
  }
}

TEST(NearestNeighbours, OfEquallyNearOnesTheLowerNumberIsTaken) {
  for (const Index levels : {2, 3, 5}) {
    const NaiveMatrix x = whole_numbers(700, 6, levels, 3);  // with levels 2: 64 different samples
    expect_brute_force(dataset_of(x), 5);
    expect_brute_force(dataset_of(x, true), 5);
    // Values that all samples share do not blur their differences.
    expect_brute_force(dataset_of((x.array() + 1e7).matrix()), 5);
  }
}

TEST(NearestNeighbours, OfAViewAreThoseOfItsSamples) {
  const Dataset all = random_dataset({.samples = 60, .features = 5});
  std::vector<Index> rows;
  for (Index s = 59; s >= 0; s -= 3) rows.push_back(s);
  expect_brute_force(all.subset(rows), 4);
}

TEST(NearestNeighbours, DoNotDependOnThreads) {
  const Dataset data = random_dataset({.samples = 900, .features = 12, .density = 1});
  const NearestNeighbours one = neighbours(data, 5, 1);
  const NearestNeighbours three = neighbours(data, 5, 3);
  EXPECT_EQ(one.neighbours, three.neighbours);
  EXPECT_EQ(one.squares, three.squares);
}

TEST(NeighbourGraph, IsThatOfTheFormula) {
  for (const bool sparse : {false, true}) {
    const Dataset data = dataset_of(clustered_values(80, 7, 4, 5), sparse);
    Context ctx;
    GraphOptions options;
    std::vector<std::string> notes;
    const NeighbourGraph graph = neighbour_graph(data, options, 0, notes, ctx);
    const NaiveMatrix expected = naive_graph(dense_values(data), 5);
    expect_near(NaiveMatrix(graph.weights), expected, 1e-13);
    expect_near(graph.degrees, expected * NaiveVector::Ones(80), 1e-13);
    EXPECT_EQ(options.bandwidth, graph.bandwidth);
  }
}

TEST(NeighbourGraph, CountsItsPartsAndCopies) {
  NaiveMatrix x = random_values(30, 3, 1);
  x.bottomRows(10).array() += 1000;
  x.row(29) = x.row(20);
  x.row(4) = x.row(3);
  x.row(5) = x.row(3);
  Context ctx;
  GraphOptions options;
  std::vector<std::string> notes;
  const NeighbourGraph graph = neighbour_graph(dataset_of(x), options, 0, notes, ctx);
  EXPECT_EQ(graph.components, 2);
  EXPECT_EQ(graph.copies, 3);
  for (std::size_t s = 0; s < 30; ++s) EXPECT_EQ(graph.component[s], s < 20 ? 0 : 1);
  EXPECT_THAT(notes, ElementsAre("3 samples are equal to an earlier one",
                                 "the neighbour graph has 2 parts that no link joins"));
}

TEST(NeighbourGraph, OddDataAreSaid) {
  Context ctx;
  GraphOptions options;
  std::vector<std::string> notes;
  neighbour_graph(dataset_of(random_values(4, 2, 1)), options, 0, notes, ctx);
  EXPECT_THAT(notes, ElementsAre("`neighbours` 3 instead of 5: there are no more samples"));
  EXPECT_THROW(neighbour_graph(dataset_of(random_values(1, 2, 1)), options, 0, notes, ctx), Error);
  EXPECT_THROW(neighbour_graph(dataset_of(random_values(100, 50, 1)), options, 1000, notes, ctx), Error);
  // All alike: distances 0, weights 1.
  options = {};
  const NeighbourGraph graph = neighbour_graph(dataset_of(NaiveMatrix::Ones(8, 3)), options, 0, notes, ctx);
  EXPECT_EQ(graph.weights.coeff(0, 1), 1);
  EXPECT_EQ(graph.copies, 7);
}

}  // namespace
}  // namespace clade
