#include <clade/cluster.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

using Groups = std::vector<Index>;

Groups random_groups(RandomStream& random, Index samples, Index groups) {
  Groups result;
  for (Index k = 0; k < samples; ++k) result.push_back(random.below(groups));
  return result;
}

// The best over all ways to give clusters the names of classes; both below `groups`.
double accuracy_by_brute_force(const Groups& classes, const Groups& clusters, Index groups) {
  Groups name(static_cast<std::size_t>(groups));
  std::iota(name.begin(), name.end(), 0);
  Index best = 0;
  do {
    Index right = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      right += name[static_cast<std::size_t>(clusters[k])] == classes[k] ? 1 : 0;
    }
    best = std::max(best, right);
  } while (std::next_permutation(name.begin(), name.end()));
  return static_cast<double>(best) / static_cast<double>(classes.size());
}

// From the definition: H(U) + H(V) - H(U, V) over the geometric mean.
double nmi_by_definition(const Groups& u, const Groups& v) {
  const auto entropy = [&](auto key) {
    std::map<std::pair<Index, Index>, double> counts;
    for (std::size_t k = 0; k < u.size(); ++k) counts[key(k)] += 1;
    double sum = 0;
    for (const auto& [group, count] : counts) {
      const double share = count / static_cast<double>(u.size());
      sum -= share * std::log(share);
    }
    return sum;
  };
  const double of_u = entropy([&](std::size_t k) { return std::pair(u[k], Index{0}); });
  const double of_v = entropy([&](std::size_t k) { return std::pair(v[k], Index{0}); });
  const double of_both = entropy([&](std::size_t k) { return std::pair(u[k], v[k]); });
  return (of_u + of_v - of_both) / std::sqrt(of_u * of_v);
}

TEST(ClusteringAccuracy, IsTheBestOfAllMatchings) {
  RandomStream random(2, {kTestStream});
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Index groups = 1 + random.below(6);
    const Index samples = 1 + random.below(40);
    const Groups classes = random_groups(random, samples, 1 + random.below(groups));
    const Groups clusters = random_groups(random, samples, 1 + random.below(groups));
    EXPECT_DOUBLE_EQ(clustering_accuracy(classes, clusters), accuracy_by_brute_force(classes, clusters, groups));
  }
}

TEST(ClusteringAccuracy, NamesOfClustersDoNotMatterButTheirNumberDoes) {
  EXPECT_EQ(clustering_accuracy(Groups{0, 0, 1, 1}, Groups{7000000, 7000000, 3, 3}), 1);
  EXPECT_EQ(clustering_accuracy(Groups{0, 0, 1, 1}, Groups{0, 1, 2, 3}), 0.5);  // two of four clusters are matched
  EXPECT_EQ(clustering_accuracy(Groups{0, 0, 0, 1}, Groups{5, 5, 5, 5}), 0.75);
}

TEST(ClusteringAccuracy, AThousandClustersThatAreTheClassesInOtherNames) {
  constexpr Index kGroups = 1000;
  Groups classes;
  Groups clusters;
  for (Index k = 0; k < 10 * kGroups; ++k) {
    classes.push_back(k % kGroups);
    clusters.push_back((k % kGroups) * 617 % kGroups);
  }
  EXPECT_EQ(clustering_accuracy(classes, clusters), 1);
}

TEST(NormalizedMutualInformation, MatchesItsDefinitionAndIsSymmetric) {
  RandomStream random(3, {kTestStream});
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Index samples = 30 + random.below(100);
    const Groups classes = random_groups(random, samples, 2 + random.below(10));
    const Groups clusters = random_groups(random, samples, 2 + random.below(10));
    const double nmi = normalized_mutual_information(classes, clusters);
    EXPECT_NEAR(nmi, nmi_by_definition(classes, clusters), 1e-12);
    EXPECT_NEAR(nmi, normalized_mutual_information(clusters, classes), 1e-12);
  }
}

TEST(NormalizedMutualInformation, OneGroupIsPerfectForOneClassAndWorthlessForSeveral) {
  EXPECT_EQ(normalized_mutual_information(Groups{0, 0, 0}, Groups{4, 4, 4}), 1);
  EXPECT_EQ(normalized_mutual_information(Groups{0}, Groups{0}), 1);
  EXPECT_EQ(normalized_mutual_information(Groups{0, 0, 0}, Groups{0, 1, 2}), 0);
  EXPECT_EQ(normalized_mutual_information(Groups{0, 1, 2}, Groups{0, 0, 0}), 0);
}

TEST(NormalizedMutualInformation, EqualIsOneAndIndependentIsZero) {
  EXPECT_DOUBLE_EQ(normalized_mutual_information(Groups{0, 0, 1, 2}, Groups{5, 5, 9, 1}), 1);
  EXPECT_EQ(normalized_mutual_information(Groups{0, 0, 0, 1, 1, 1}, Groups{0, 1, 2, 0, 1, 2}), 0);
}

TEST(ClusteringMeasures, RefuseWhatIsNoClustering) {
  for (const auto measure : {clustering_accuracy, normalized_mutual_information}) {
    EXPECT_THROW(measure(Groups{}, Groups{}), Error);
    EXPECT_THROW(measure(Groups{0, 1}, Groups{0}), Error);
    EXPECT_THROW(measure(Groups{0, 1}, Groups{0, -1}), Error);
  }
}

TEST(ClusteringAccuracy, RefusesMoreClustersThanCanBeMatched) {
  Groups each(20000);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_THROW(clustering_accuracy(each, each), Error);
  EXPECT_DOUBLE_EQ(normalized_mutual_information(each, each), 1);
}

}  // namespace
}  // namespace clade
