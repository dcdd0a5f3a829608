#include <clade/split.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/random_data.h"

namespace clade {
namespace {

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows;
  for (Index k = 0; k < count; ++k) rows.push_back(k);
  return rows;
}

std::map<NodeId, std::vector<Index>> label_counts(const Dataset& data, const std::vector<int>& fold, int folds) {
  std::map<NodeId, std::vector<Index>> counts;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      auto& count = counts[label];
      count.resize(static_cast<std::size_t>(folds), 0);
      ++count[static_cast<std::size_t>(fold[static_cast<std::size_t>(s)])];
    }
  }
  return counts;
}

TEST(StratifiedFolds, CountsOfALabelDifferByAtMostOne) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Dataset data =
        random_dataset({.samples = 103, .features = 1, .nodes = 12, .inner_labels = true, .seed = seed});
    for (const int folds : {2, 5, 10}) {
      const auto fold = stratified_folds(data, folds, seed);
      ASSERT_EQ(std::ssize(fold), data.samples());
      std::vector<Index> sizes(static_cast<std::size_t>(folds), 0);
      for (const int f : fold) ++sizes[static_cast<std::size_t>(f)];
      for (const auto& [label, count] : label_counts(data, fold, folds)) {
        const auto [low, high] = std::ranges::minmax(count);
        EXPECT_LE(high - low, 1);
      }
      const auto [low, high] = std::ranges::minmax(sizes);
      EXPECT_LE(high - low, 1);
    }
  }
}

TEST(StratifiedFolds, SeveralLabelsAreSpreadAlmostEvenly) {
  const Dataset data = random_dataset({.samples = 1000, .features = 1, .nodes = 15, .several_labels = true, .seed = 3});
  const auto fold = stratified_folds(data, 5, 1);
  for (const auto& [label, count] : label_counts(data, fold, 5)) {
    const auto [low, high] = std::ranges::minmax(count);
    EXPECT_LE(high - low, 3) << "label " << label;
  }
}

TEST(StratifiedFolds, TheSeedDecides) {
  const Dataset data = random_dataset({.samples = 60, .features = 1, .seed = 3});
  EXPECT_EQ(stratified_folds(data, 4, 9), stratified_folds(data, 4, 9));
  EXPECT_NE(stratified_folds(data, 4, 9), stratified_folds(data, 4, 10));
}

TEST(StratifiedFolds, UnlabelledSamplesAndViewsAreDealtToo) {
  Dataset::Parts parts = random_parts({.samples = 20, .features = 1, .seed = 3});
  parts.labels = {.offsets = std::vector<Index>(21, 0), .nodes = {}};
  const Dataset data(std::move(parts));
  const auto fold = stratified_folds(data, 4, 1);
  for (int f = 0; f < 4; ++f) EXPECT_EQ(std::ranges::count(fold, f), 5);
  EXPECT_EQ(stratified_folds(data.subset({1, 2, 3}), 3, 1).size(), 3U);
}

TEST(StratifiedFolds, ImpossibleNumbersAreRefused) {
  const Dataset data = random_dataset({.samples = 5, .features = 1, .seed = 3});
  EXPECT_THROW(stratified_folds(data, 1, 1), Error);
  EXPECT_THROW(stratified_folds(data, 6, 1), Error);
  EXPECT_NO_THROW(stratified_folds(data, 5, 1));
}

TEST(GroupedFolds, AGroupIsNeverTornAndSizesAreEven) {
  std::vector<Index> groups;
  for (Index g = 0; g < 40; ++g) groups.insert(groups.end(), static_cast<std::size_t>(1 + g % 5), 100 - g);
  const auto fold = grouped_folds(groups, 4, 7);
  std::map<Index, std::set<int>> folds_of;
  std::vector<Index> sizes(4, 0);
  for (std::size_t s = 0; s < groups.size(); ++s) {
    folds_of[groups[s]].insert(fold[s]);
    ++sizes[static_cast<std::size_t>(fold[s])];
  }
  for (const auto& [group, folds] : folds_of) EXPECT_EQ(folds.size(), 1U);
  const auto [low, high] = std::ranges::minmax(sizes);
  EXPECT_LE(high - low, 1);
  EXPECT_EQ(fold, grouped_folds(groups, 4, 7));
  EXPECT_THROW(grouped_folds(std::vector<Index>{1, 1, 2}, 3, 1), Error);
}

TEST(FoldSplit, TrainAndTestMakeUpTheWhole) {
  const Dataset data = random_dataset({.samples = 31, .features = 1, .seed = 3});
  const auto fold = stratified_folds(data, 3, 1);
  for (int f = 0; f < 3; ++f) {
    const Split split = fold_split(fold, f);
    std::vector<Index> both = split.train;
    both.insert(both.end(), split.test.begin(), split.test.end());
    std::ranges::sort(both);
    EXPECT_EQ(both, all_rows(31));
    EXPECT_TRUE(std::ranges::is_sorted(split.test));
  }
}

TEST(TrainTestSplit, KeepsTheShareOfEveryLabel) {
  const Dataset data = random_dataset({.samples = 400, .features = 1, .nodes = 8, .seed = 3});
  const Split split = train_test_split(data, 0.25, 5);
  EXPECT_EQ(std::ssize(split.test), 100);
  EXPECT_EQ(std::ssize(split.train), 300);
  std::map<NodeId, Index> total;
  std::map<NodeId, Index> test;
  for (Index s = 0; s < data.samples(); ++s) ++total[data.labels(s)[0]];
  for (const Index s : split.test) ++test[data.labels(s)[0]];
  for (const auto& [label, count] : total)
    EXPECT_LE(std::abs(static_cast<double>(test[label]) - 0.25 * static_cast<double>(count)), 1);
}

TEST(TrainTestSplit, BothPartsAreNeverEmpty) {
  const Dataset data = random_dataset({.samples = 2, .features = 1, .seed = 3});
  for (const double share : {0.01, 0.5, 0.99}) {
    const Split split = train_test_split(data, share, 1);
    EXPECT_EQ(split.train.size(), 1U);
    EXPECT_EQ(split.test.size(), 1U);
  }
  EXPECT_THROW(train_test_split(data, 0, 1), Error);
  EXPECT_THROW(train_test_split(data, 1, 1), Error);
  EXPECT_THROW(train_test_split(data, std::nan(""), 1), Error);
}

TEST(SubsamplePerClass, GivesAtMostSoManyOfEachAndAllOfSmallClasses) {
  const Dataset data = random_dataset({.samples = 300, .features = 1, .nodes = 20, .seed = 3});
  std::map<NodeId, Index> total;
  for (Index s = 0; s < data.samples(); ++s) ++total[data.labels(s)[0]];
  for (const Index per_class : {1, 3, 1000}) {
    std::map<NodeId, Index> taken;
    const auto rows = subsample_per_class(data, per_class, 4);
    EXPECT_TRUE(std::ranges::is_sorted(rows));
    EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
    for (const Index s : rows) ++taken[data.labels(s)[0]];
    for (const auto& [label, count] : total) EXPECT_EQ(taken[label], std::min(count, per_class));
  }
  EXPECT_NE(subsample_per_class(data, 1, 4), subsample_per_class(data, 1, 5));
  EXPECT_THROW(subsample_per_class(data, 0, 1), Error);
}

}  // namespace
}  // namespace clade
