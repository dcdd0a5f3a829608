#include <clade/dataset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "data/random_data.h"

namespace clade {
namespace {

using ::testing::ElementsAre;

TEST(Dataset, ViewsCopyNoFeatureValue) {
  const Dataset data = random_dataset({.samples = 50, .features = 7, .seed = 1});
  const Dataset view = data.subset({3, 1, 4, 1});
  EXPECT_EQ(&view.matrix(), &data.matrix());
  const Dataset nested = view.subset({2, 0});
  EXPECT_EQ(&nested.matrix(), &data.matrix());
  EXPECT_EQ(nested.source_row(0), 4);
  EXPECT_EQ(nested.source_row(1), 3);
  EXPECT_EQ(view.samples(), 4);
  EXPECT_EQ(nested.samples(), 2);
}

TEST(Dataset, AViewShowsTheRowsItWasGiven) {
  for (const bool sparse : {false, true}) {
    const Dataset data = random_dataset({.samples = 30, .features = 9, .sparse = sparse, .names = true, .seed = 2});
    const std::vector<Index> rows{29, 0, 7, 7};
    const Dataset view = data.subset(rows);
    for (Index s = 0; s < view.samples(); ++s) {
      const Index original = rows[static_cast<std::size_t>(s)];
      EXPECT_EQ(values_of(view, s), values_of(data, original));
      EXPECT_TRUE(std::ranges::equal(view.labels(s), data.labels(original)));
      EXPECT_EQ(view.sample_name(s), data.sample_name(original));
    }
  }
}

TEST(Dataset, NamesFallBackToNumbers) {
  const Dataset data = random_dataset({.samples = 3, .features = 2, .seed = 3});
  EXPECT_EQ(data.feature_name(1), "1");
  EXPECT_EQ(data.sample_name(2), "2");
  EXPECT_EQ(data.subset({2}).sample_name(0), "2");
}

TEST(Dataset, SamplesKeepTheNumbersOfTheirRows) {
  Dataset::Parts parts = random_parts({.samples = 4, .features = 3, .seed = 5});
  parts.sample_names.clear();
  parts.row_numbers = {1, 2, 5, 9};
  const Dataset data(std::move(parts));
  EXPECT_FALSE(data.has_sample_names());
  EXPECT_EQ(data.sample_name(2), "5");
  EXPECT_EQ(data.subset({3, 0}).sample_name(0), "9");
  LabelSets labels;
  labels.offsets.assign(5, 0);
  EXPECT_EQ(data.relabelled(data.taxonomy(), labels).sample_number(3), 9);
  const Dataset other = data.with_features(random_parts({.samples = 4, .features = 6, .seed = 6}));
  EXPECT_EQ(other.sample_name(1), "2");
  EXPECT_FALSE(other.has_sample_names());
  const Dataset some = data.subset({3, 1}).with_features(random_parts({.samples = 2, .features = 6, .seed = 6}));
  EXPECT_EQ(some.sample_name(0), "9");
}

TEST(Dataset, PartsThatDoNotFitAreRefused) {
  Dataset::Parts parts = random_parts({.samples = 4, .features = 3, .seed = 4});
  parts.labels.offsets.pop_back();
  EXPECT_THROW(Dataset(std::move(parts)), Error);
  parts = random_parts({.samples = 4, .features = 3, .seed = 4});
  parts.feature_names = {"a"};
  EXPECT_THROW(Dataset(std::move(parts)), Error);
  parts = random_parts({.samples = 4, .features = 3, .seed = 4});
  parts.labels.nodes[0] = parts.taxonomy->size();
  EXPECT_THROW(Dataset(std::move(parts)), Error);
}

TEST(Dataset, SamplesBelowANodeMatchTheDefinition) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Dataset data = random_dataset(
        {.samples = 40, .features = 2, .nodes = 15, .dag = seed % 2 == 1, .several_labels = true, .seed = seed});
    const Taxonomy& taxonomy = data.taxonomy();
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      std::vector<Index> expected;
      for (Index s = 0; s < data.samples(); ++s) {
        const auto labels = data.labels(s);
        const bool below = std::ranges::any_of(
            labels, [&](NodeId label) { return label == node || taxonomy.is_ancestor(node, label); });
        if (below) expected.push_back(s);
      }
      EXPECT_EQ(samples_below(data, node), expected);
    }
  }
}

TEST(Dataset, LabelsAtInnerNodesMoveToMiscellaneousLeaves) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("r", "b");
  builder.edge("a", "c");
  const Taxonomy taxonomy = builder.build();
  LabelSets labels;
  for (const char* name : {"a", "c", "b", "a"}) {
    labels.nodes.push_back(*taxonomy.find(name));
    labels.offsets.push_back(static_cast<Index>(labels.nodes.size()));
  }
  const Dataset data(
      {.features = DenseMatrix<double>{4, 0, Buffer<double>(0)}, .labels = labels, .taxonomy = taxonomy});
  const Dataset learnable = with_leaf_labels(data);
  const Taxonomy& extended = learnable.taxonomy();
  EXPECT_EQ(&learnable.matrix(), &data.matrix());
  EXPECT_EQ(extended.size(), taxonomy.size() + 1);
  for (Index s = 0; s < 4; ++s) {
    ASSERT_EQ(learnable.labels(s).size(), 1U);
    const NodeId label = learnable.labels(s)[0];
    EXPECT_TRUE(extended.is_leaf(label));
    EXPECT_EQ(extended.fold(label), data.labels(s)[0]);
  }
  EXPECT_TRUE(extended.is_miscellaneous(learnable.labels(0)[0]));
  EXPECT_FALSE(extended.is_miscellaneous(learnable.labels(1)[0]));
  EXPECT_EQ(extended.name(learnable.labels(0)[0]), "a (miscellaneous)");
}

TEST(Dataset, RelabellingAViewKeepsRowsAndLabelsTogether) {
  const Dataset data = random_dataset({.samples = 10, .features = 2, .nodes = 6, .seed = 5});
  const Dataset view = data.subset({8, 2, 5});
  const Taxonomy flat = flat_taxonomy(std::vector<std::string>{"x", "y", "z"});
  const Dataset relabelled = view.relabelled(flat, {.offsets = {0, 1, 2, 3}, .nodes = {1, 2, 3}});
  EXPECT_THAT(relabelled.labels(0), ElementsAre(1));
  EXPECT_THAT(relabelled.labels(1), ElementsAre(2));
  EXPECT_THAT(relabelled.labels(2), ElementsAre(3));
  EXPECT_EQ(relabelled.source_row(0), 8);
}

TEST(Dataset, RelabellingAViewWithARowTwiceKeepsBothLabelSets) {
  const Dataset data = random_dataset({.samples = 10, .features = 2, .nodes = 6, .seed = 5});
  const Taxonomy flat = flat_taxonomy(std::vector<std::string>{"x", "y", "z"});
  const Dataset relabelled = data.subset({8, 2, 8}).relabelled(flat, {.offsets = {0, 1, 3, 4}, .nodes = {1, 1, 2, 3}});
  EXPECT_THAT(relabelled.labels(0), ElementsAre(1));
  EXPECT_THAT(relabelled.labels(1), ElementsAre(1, 2));
  EXPECT_THAT(relabelled.labels(2), ElementsAre(3));
  EXPECT_EQ(relabelled.source_row(0), relabelled.source_row(2));

  const Dataset part = relabelled.subset({2, 1, 2, 0}).subset({3, 0, 1});
  EXPECT_THAT(part.labels(0), ElementsAre(1));
  EXPECT_THAT(part.labels(1), ElementsAre(3));
  EXPECT_THAT(part.labels(2), ElementsAre(1, 2));
  EXPECT_EQ(part.source_row(2), 2);

  const Dataset again = part.relabelled(flat, {.offsets = {0, 1, 2, 2}, .nodes = {2, 3}});
  EXPECT_THAT(again.labels(0), ElementsAre(2));
  EXPECT_THAT(again.labels(1), ElementsAre(3));
  EXPECT_THAT(again.labels(2), ElementsAre());
}

TEST(Difference, IsNothingForEqualDataAndSaysWhatDiffers) {
  const RandomDataOptions options{.samples = 20, .features = 5, .names = true, .missing = true, .seed = 6};
  const Dataset a = random_dataset(options);
  EXPECT_EQ(difference(a, random_dataset(options)), std::nullopt);

  RandomDataOptions sparse = options;
  sparse.sparse = true;
  EXPECT_EQ(difference(a, random_dataset(sparse)), std::nullopt) << "storage must not matter";

  Dataset::Parts parts = random_parts(options);
  std::get<DenseMatrix<double>>(parts.features).values[17] += 1;
  EXPECT_EQ(difference(a, Dataset(std::move(parts))), "sample 3 has other feature values");
  parts = random_parts(options);
  parts.feature_names[0] = "other";
  EXPECT_EQ(difference(a, Dataset(std::move(parts))), "the feature names differ");
  parts = random_parts(options);
  parts.sample_names[4] = "other";
  EXPECT_EQ(difference(a, Dataset(std::move(parts))), "sample 4 has another name");
  EXPECT_EQ(difference(a, a.subset({0, 1})), "20 samples against 2");
}

}  // namespace
}  // namespace clade
