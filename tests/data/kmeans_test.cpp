#include "data/kmeans.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <tuple>

#include "comm/local_team.h"
#include "core/random.h"

namespace clade {
namespace {

// Points, with what both kinds of rows are made of.
struct Points {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> dense;  // row-major
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> indices;
  std::vector<double> values;

  std::span<const double> row(Index r) const {
    return std::span(dense).subspan(static_cast<std::size_t>(r * columns), static_cast<std::size_t>(columns));
  }
  // Those of the rows [begin, end).
  std::unique_ptr<KMeansRows> as_rows(bool sparse, Index begin, Index end, Context& ctx) const {
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    if (sparse) return sparse_kmeans_rows(std::span(offsets).subspan(first, count + 1), indices, values, columns);
    const Vector mean = Eigen::Map<const Matrix>(dense.data(), columns, rows).rowwise().mean();
    return dense_kmeans_rows(std::span(dense).subspan(first * static_cast<std::size_t>(columns)), end - begin, mean,
                             ctx);
  }
};

Points points_of(std::vector<double> dense, Index columns) {
  Points points{.rows = std::ssize(dense) / columns, .columns = columns, .dense = std::move(dense)};
  for (Index r = 0; r < points.rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const double value = points.row(r)[static_cast<std::size_t>(c)];
      if (value == 0) continue;
      points.indices.push_back(static_cast<FeatureIndex>(c));
      points.values.push_back(value);
    }
    points.offsets.push_back(std::ssize(points.values));
  }
  return points;
}

// Around `groups` centres, far from the origin by `away`; some values are 0.
Points random_points(Index rows, Index columns, Index groups, RandomStream& random, double away = 0) {
  std::vector<double> centres(static_cast<std::size_t>(groups * columns));
  for (double& value : centres) value = 4 * random.normal();
  std::vector<double> dense;
  for (Index r = 0; r < rows; ++r) {
    const Index group = random.below(groups);
    for (Index c = 0; c < columns; ++c) {
      const double value = centres[static_cast<std::size_t>(group * columns + c)] + random.normal() + away;
      dense.push_back(random.uniform() < 0.2 ? 0 : value);
    }
  }
  return points_of(std::move(dense), columns);
}

double objective_of(const Points& points, const std::vector<Index>& labels, Index clusters) {
  double total = 0;
  for (Index k = 0; k < clusters; ++k) {
    std::vector<double> mean(static_cast<std::size_t>(points.columns), 0);
    double count = 0;
    for (Index r = 0; r < points.rows; ++r) {
      if (labels[static_cast<std::size_t>(r)] != k) continue;
      ++count;
      for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += points.row(r)[c];
    }
    for (double& value : mean) value /= std::max(count, 1.0);
    for (Index r = 0; r < points.rows; ++r) {
      if (labels[static_cast<std::size_t>(r)] != k) continue;
      for (std::size_t c = 0; c < mean.size(); ++c) {
        total += (points.row(r)[c] - mean[c]) * (points.row(r)[c] - mean[c]);
      }
    }
  }
  return total;
}

// The least objective over every way to give rows a cluster.
double best_of_all(const Points& points, Index clusters) {
  std::vector<Index> labels(static_cast<std::size_t>(points.rows), 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    best = std::min(best, objective_of(points, labels, clusters));
    std::size_t at = 0;
    while (at < labels.size() && ++labels[at] == clusters) labels[at++] = 0;
    if (at == labels.size()) return best;
  }
}

KMeansResult clustered(const Points& points, const KMeansOptions& options, bool sparse, int threads = 2,
                       std::uint64_t seed = 1) {
  Context ctx({.threads = threads, .seed = seed});
  Team alone(std::make_shared<Alone>());
  return k_means(*points.as_rows(sparse, 0, points.rows, ctx), k_means_blocks(alone, points.rows, points.columns),
                 options, ctx);
}

// The same by several processes, each with some of `blocks` blocks; labels are those of all.
KMeansResult clustered_by_team(const Points& points, const KMeansOptions& options, bool sparse, int processes,
                               Index rows_of_block) {
  std::vector<KMeansResult> results(static_cast<std::size_t>(processes));
  LocalTeam(processes).run([&](Team& team) {
    Context ctx({.threads = 1 + team.rank() % 3, .seed = 1});
    const EvenBlocks blocks(team, points.rows, rows_of_block);
    const auto [begin, end] = blocks.own_rows();
    results[static_cast<std::size_t>(team.rank())] =
        k_means(*points.as_rows(sparse, begin, end, ctx), blocks, options, ctx);
  });
  KMeansResult whole = results.front();
  for (std::size_t process = 1; process < results.size(); ++process) {
    const KMeansResult& other = results[process];
    EXPECT_EQ(other.best, whole.best);
    EXPECT_EQ(other.distinct, whole.distinct);
    for (std::size_t s = 0; s < whole.starts.size(); ++s) {
      EXPECT_EQ(other.starts[s].centres, whole.starts[s].centres);
      EXPECT_EQ(other.starts[s].objectives, whole.starts[s].objectives);
      std::vector<Index>& labels = whole.starts[s].labels;
      labels.insert(labels.end(), other.starts[s].labels.begin(), other.starts[s].labels.end());
    }
  }
  return whole;
}

TEST(KMeans, TheBestOfManyStartsIsTheBestOfAllWaysOnTinyData) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Index clusters = 1 + random.below(3);
    const Points points = random_points(clusters + random.below(8 - clusters), 1 + random.below(3), 3, random);
    for (const bool sparse : {false, true}) {
      const KMeansResult result = clustered(points, {.clusters = clusters, .starts = 60}, sparse);
      const double best = best_of_all(points, clusters);
      EXPECT_NEAR(result.starts[result.best].objective, best, 1e-10 * (1 + best));
    }
  }
}

TEST(KMeans, ObjectivesDoNotRiseAndTheLastIsThatOfTheLabels) {
  RandomStream random(2, {kTestStream});
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Index clusters = 1 + random.below(12);
    const Points points = random_points(clusters + random.below(400), 1 + random.below(20), 5, random, 100);
    for (const bool sparse : {false, true}) {
      for (const KMeansStart& start : clustered(points, {.clusters = clusters, .starts = 4}, sparse).starts) {
        const double tolerance = 1e-10 * (1 + start.objectives.front());
        for (std::size_t k = 1; k < start.objectives.size(); ++k) {
          EXPECT_LE(start.objectives[k], start.objectives[k - 1] + tolerance);
        }
        EXPECT_TRUE(start.has_converged);
        EXPECT_NEAR(start.objective, objective_of(points, start.labels, clusters), tolerance);
        EXPECT_NEAR(start.objective, start.objectives.back(), tolerance * (sparse ? 1e4 : 1));
      }
    }
  }
}

TEST(KMeans, AtTheEndCentresAreMeansAndRowsAreWithTheNearest) {
  RandomStream random(3, {kTestStream});
  const Points points = random_points(300, 6, 7, random, 20);
  for (const bool sparse : {false, true}) {
    for (const KMeansStart& start : clustered(points, {.clusters = 7, .starts = 5}, sparse).starts) {
      Matrix sums = Matrix::Zero(6, 7);
      Vector counts = Vector::Zero(7);
      for (Index r = 0; r < points.rows; ++r) {
        const Eigen::Map<const Vector> row(points.row(r).data(), 6);
        const Index label = start.labels[static_cast<std::size_t>(r)];
        const Vector distances = (start.centres.colwise() - row).colwise().squaredNorm();
        EXPECT_LE(distances[label], distances.minCoeff() + 1e-9);
        sums.col(label) += row;
        counts[label] += 1;
      }
      for (Index k = 0; k < 7; ++k) {
        EXPECT_LT((start.centres.col(k) - sums.col(k) / counts[k]).cwiseAbs().maxCoeff(), 1e-10);
      }
    }
  }
}

TEST(KMeans, SparseAndDenseRowsGiveTheSameClusters) {
  RandomStream random(4, {kTestStream});
  const Points points = random_points(500, 10, 6, random);
  const KMeansResult dense = clustered(points, {.clusters = 6, .starts = 8}, false);
  const KMeansResult sparse = clustered(points, {.clusters = 6, .starts = 8}, true);
  EXPECT_EQ(dense.best, sparse.best);
  for (std::size_t s = 0; s < 8; ++s) EXPECT_EQ(dense.starts[s].labels, sparse.starts[s].labels);
}

TEST(KMeans, ThreadsChangeNothing) {
  RandomStream random(5, {kTestStream});
  const Points points = random_points(1500, 9, 8, random);
  for (const bool sparse : {false, true}) {
    for (const int starts : {1, 2, 7}) {
      const KMeansResult one = clustered(points, {.clusters = 8, .starts = starts}, sparse, 1);
      for (const int threads : {2, 3, 8}) {
        const KMeansResult other = clustered(points, {.clusters = 8, .starts = starts}, sparse, threads);
        EXPECT_EQ(one.best, other.best);
        for (std::size_t s = 0; s < one.starts.size(); ++s) {
          EXPECT_EQ(one.starts[s].labels, other.starts[s].labels);
          EXPECT_EQ(one.starts[s].objective, other.starts[s].objective);
          EXPECT_EQ(one.starts[s].objectives, other.starts[s].objectives);
          EXPECT_EQ(one.starts[s].centres, other.starts[s].centres);
        }
      }
    }
  }
}

void expect_same_by_teams(const Points& points, const KMeansOptions& options, bool sparse) {
  const KMeansResult one = clustered_by_team(points, options, sparse, 1, 4);
  for (const int processes : {2, 3, 4, 7}) {
    const KMeansResult other = clustered_by_team(points, options, sparse, processes, 4);
    EXPECT_EQ(other.best, one.best);
    for (std::size_t s = 0; s < one.starts.size(); ++s) {
      EXPECT_EQ(other.starts[s].labels, one.starts[s].labels);
      EXPECT_EQ(other.starts[s].objective, one.starts[s].objective);
      EXPECT_EQ(other.starts[s].objectives, one.starts[s].objectives);
      EXPECT_EQ(other.starts[s].centres, one.starts[s].centres);
      EXPECT_EQ(other.starts[s].refilled, one.starts[s].refilled);
    }
  }
  // Blocks change the last digits only.
  const KMeansResult whole = clustered(points, options, sparse);
  for (std::size_t s = 0; s < one.starts.size(); ++s) EXPECT_EQ(one.starts[s].labels, whole.starts[s].labels);
}

TEST(KMeans, ProcessesChangeNothing) {
  RandomStream random(9, {kTestStream});
  for (const auto& [rows, columns, clusters] :
       {std::tuple<Index, Index, Index>{700, 9, 8}, {61, 3, 7}, {9, 2, 9}, {3, 2, 3}}) {
    const Points points = random_points(rows, columns, 6, random);
    for (const bool sparse : {false, true}) expect_same_by_teams(points, {.clusters = clusters, .starts = 3}, sparse);
  }
}

TEST(KMeans, ProcessesRefillTheSameClusters) {
  RandomStream random(7, {kTestStream});
  KMeansOptions options{.clusters = 20, .starts = 50};
  for (int repeat = 0;; ++repeat) {
    ASSERT_LT(repeat, 1000);
    std::vector<double> dense;
    for (Index k = 0; k < 2 * 50; ++k) dense.push_back(random.normal());
    const Points points = points_of(std::move(dense), 2);
    const KMeansResult result = clustered(points, options, false);
    const auto found = std::ranges::find_if(result.starts, [](const KMeansStart& s) { return s.refilled > 0; });
    if (found == result.starts.end()) continue;
    options.starts = static_cast<int>(found - result.starts.begin()) + 1;
    return expect_same_by_teams(points, options, false);
  }
}

TEST(KMeans, WithoutDifferentRowsProcessesStopDrawing) {
  const Points points = points_of(std::vector<double>(80, 1.5), 2);
  for (const int processes : {1, 3}) {
    const KMeansResult result = clustered_by_team(points, {.clusters = 5, .starts = 2}, false, processes, 4);
    EXPECT_EQ(result.distinct, 1);
    EXPECT_EQ(result.starts[0].objective, 0);
  }
}

TEST(KMeans, SeedsAndStartsDrawOtherCentres) {
  RandomStream random(6, {kTestStream});
  const Points points = random_points(200, 4, 1, random);
  const KMeansResult a = clustered(points, {.clusters = 9, .starts = 3}, false, 2, 1);
  const KMeansResult b = clustered(points, {.clusters = 9, .starts = 3}, false, 2, 2);
  std::set<double> first;
  for (const auto* result : {&a, &b}) {
    for (const KMeansStart& start : result->starts) first.insert(start.objectives.front());
  }
  EXPECT_EQ(first.size(), 6U);
}

TEST(KMeans, EmptyClustersAreRefilled) {
  RandomStream random(7, {kTestStream});
  Index refilled = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    // Many clusters of few rows: now and then one loses its rows.
    std::vector<double> dense;
    for (Index k = 0; k < 2 * (40 + random.below(30)); ++k) dense.push_back(random.normal());
    const Points points = points_of(std::move(dense), 2);
    for (const bool sparse : {false, true}) {
      for (const KMeansStart& start : clustered(points, {.clusters = 20, .starts = 50}, sparse).starts) {
        EXPECT_EQ(std::set<Index>(start.labels.begin(), start.labels.end()).size(), 20U);
        EXPECT_TRUE(std::ranges::is_sorted(start.objectives, [](double a, double b) { return a > b * (1 + 1e-12); }));
        refilled += start.refilled;
      }
    }
  }
  EXPECT_GT(refilled, 0);  // else the test is of nothing
}

TEST(KMeans, FewerDifferentRowsThanClustersAreCounted) {
  const Points points = points_of({1, 0, 1, 0, 0, 0, 5, 5, 1, 0, 0, 0}, 2);
  for (const bool sparse : {false, true}) {
    const KMeansResult result = clustered(points, {.clusters = 5, .starts = 3}, sparse);
    EXPECT_EQ(result.distinct, 3);
    for (const KMeansStart& start : result.starts) {
      EXPECT_EQ(start.objective, 0);
      EXPECT_EQ(std::set<Index>(start.labels.begin(), start.labels.end()).size(), 3U);
    }
    EXPECT_EQ(clustered(points, {.clusters = 3, .starts = 3}, sparse).distinct, 3);
  }
}

TEST(KMeans, AsManyClustersAsRows) {
  RandomStream random(8, {kTestStream});
  const Points points = random_points(12, 3, 2, random);
  const KMeansResult result = clustered(points, {.clusters = 12, .starts = 2}, false);
  EXPECT_EQ(result.starts[0].objective, 0);
}

TEST(KMeans, RefusesWhatCannotBeClustered) {
  const Points points = points_of({1, 2, 3}, 1);
  EXPECT_THROW(clustered(points, {.clusters = 4}, false), Error);
  const Points large = points_of({1e200, -1e200, 3}, 1);
  for (const Index clusters : {1, 2}) {
    for (const bool sparse : {false, true}) EXPECT_THROW(clustered(large, {.clusters = clusters}, sparse), Error);
  }
}

}  // namespace
}  // namespace clade
