#include <clade/synthetic.h>
#include <gtest/gtest.h>

#include <cmath>

namespace clade {
namespace {

Dataset generated(const SyntheticOptions& options, std::uint64_t seed, int threads) {
  Context ctx(Context::Options{.threads = threads, .seed = seed});
  return synthetic_data(options, ctx);
}

TEST(Synthetic, HasTheShapeAskedFor) {
  const Dataset data = generated({.depth = 3, .fanout = 3, .features = 20, .samples = 200}, 1, 2);
  EXPECT_EQ(data.samples(), 200);
  EXPECT_EQ(data.features(), 20);
  EXPECT_EQ(data.taxonomy().size(), 1 + 3 + 9 + 27);
  EXPECT_EQ(data.taxonomy().leaves().size(), 27U);
  EXPECT_EQ(data.taxonomy().levels(), 4);
  for (NodeId node = 0; node < data.taxonomy().size(); ++node) {
    EXPECT_EQ(data.taxonomy().children(node).size(), data.taxonomy().is_leaf(node) ? 0U : 3U);
  }
}

TEST(Synthetic, EverySampleHasAtLeastOneLabelAndFewerThanTheRoot) {
  const Dataset data = generated({.depth = 2, .fanout = 4, .samples = 500}, 2, 2);
  for (Index s = 0; s < data.samples(); ++s) {
    EXPECT_GE(data.labels(s).size(), 1U);
    EXPECT_LT(static_cast<double>(data.labels(s).size()), std::sqrt(16.0));
  }
  const Dataset single = generated({.depth = 2, .fanout = 4, .samples = 100, .single_label = true}, 2, 2);
  for (Index s = 0; s < single.samples(); ++s) EXPECT_EQ(single.labels(s).size(), 1U);
}

TEST(Synthetic, DoesNotDependOnThreadsAndASampleNotOnTheOthers) {
  const SyntheticOptions options{.samples = 100};
  const Dataset one = generated(options, 3, 1);
  EXPECT_EQ(difference(one, generated(options, 3, 3)), std::nullopt);
  EXPECT_NE(difference(one, generated(options, 4, 1)), std::nullopt);
  const Dataset longer = generated({.samples = 150}, 3, 2);
  std::vector<Index> first(100);
  for (Index k = 0; k < 100; ++k) first[static_cast<std::size_t>(k)] = k;
  EXPECT_EQ(difference(one, longer.subset(first)), std::nullopt);
}

// Siblings share most of their weights, so they must share labels more often than distant classes.
TEST(Synthetic, NearbyClassesOccurTogether) {
  const Dataset data = generated({.depth = 2, .fanout = 3, .features = 50, .samples = 5000, .decay = 0.3}, 5, 2);
  const Taxonomy& taxonomy = data.taxonomy();
  double siblings = 0;
  double distant = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    for (std::size_t a = 0; a < labels.size(); ++a) {
      for (std::size_t b = a + 1; b < labels.size(); ++b) {
        (taxonomy.parents(labels[a])[0] == taxonomy.parents(labels[b])[0] ? siblings : distant) += 1;
      }
    }
  }
  // 9 pairs of siblings against 27 distant pairs.
  EXPECT_GT(siblings / 9, 2 * distant / 27);
}

TEST(Synthetic, ImpossibleShapesAreRefused) {
  EXPECT_THROW(generated({.depth = 30, .fanout = 10}, 1, 1), Error);
  EXPECT_THROW(generated({.depth = 1, .fanout = 1}, 1, 1), Error);
  EXPECT_THROW(generated({.features = 1'000'000'000, .samples = 1'000'000'000}, 1, 1), Error);
  // Two classes: fewer than sqrt(2) labels means one; with weights of one level that is possible.
  EXPECT_NO_THROW(generated({.depth = 1, .fanout = 2, .samples = 10}, 1, 1));
}

}  // namespace
}  // namespace clade
