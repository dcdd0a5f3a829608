#include <clade/summary.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "data/random_data.h"

namespace clade {
namespace {

Dataset small_data() {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("r", "b");
  builder.edge("a", "c");
  builder.edge("b", "d");
  builder.edge("b", "e");
  const Taxonomy taxonomy = builder.build();
  LabelSets labels;
  const std::vector<std::vector<const char*>> names{{"c"}, {"a"}, {"c", "d"}, {}};
  for (const auto& of : names) {
    for (const char* name : of) labels.nodes.push_back(*taxonomy.find(name));
    std::sort(labels.nodes.begin() + labels.offsets.back(), labels.nodes.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {1,   5, 0, 1,  //
                           1,   5, 0, 2,  //
                           1,   5, 0, 1,  // repeats the first
                           nan, 5, 0, 1};
  DenseMatrix<double> dense{4, 4, Buffer<double>(16)};
  std::ranges::copy(values, dense.values.begin());
  return Dataset({.features = std::move(dense), .labels = labels, .taxonomy = taxonomy});
}

TEST(Summary, CountsWhatIsThere) {
  Context ctx(Context::Options{.threads = 2});
  const DataSummary summary = summarise(small_data(), ctx);
  EXPECT_EQ(summary.samples, 4);
  EXPECT_EQ(summary.nonzeros, 12);
  EXPECT_EQ(summary.missing_values, 1);
  EXPECT_EQ(summary.labels_per_sample, 1.0);
  EXPECT_EQ(summary.labelled_nodes, 3);
  EXPECT_EQ(summary.inner_label_samples, 1);
  EXPECT_EQ(summary.inner_label_nodes, 1);
  EXPECT_EQ(summary.leaves_without_sample, 1);
  EXPECT_EQ(summary.constant_features, 2);  // the fives and the zeros; a missing value makes the first vary
  EXPECT_EQ(summary.repeated_rows, 1);
  EXPECT_EQ(summary.taxonomy.levels, 3);
  EXPECT_EQ(summary.taxonomy.one_child_nodes, 1);
  EXPECT_EQ(summary.taxonomy.inner_per_level, (std::vector<Index>{1, 2, 0}));
  EXPECT_EQ(summary.taxonomy.leaves_per_level, (std::vector<Index>{0, 0, 3}));
}

TEST(Summary, DoesNotDependOnStorageOrThreads) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Context one(Context::Options{.threads = 1});
    Context three(Context::Options{.threads = 3});
    RandomDataOptions options{.samples = 60, .features = 3, .dag = true, .density = 0.2, .seed = seed};
    const DataSummary dense = summarise(random_dataset(options), one);
    options.sparse = true;
    const DataSummary sparse = summarise(random_dataset(options), three);
    EXPECT_EQ(dense.nonzeros, sparse.nonzeros);
    EXPECT_EQ(dense.repeated_rows, sparse.repeated_rows);
    EXPECT_GT(dense.repeated_rows, 0);
    EXPECT_EQ(dense.constant_features, sparse.constant_features);
  }
}

TEST(Summary, HistogramsCountEverything) {
  Context ctx;
  const Dataset data = random_dataset({.samples = 500, .features = 1, .nodes = 40, .several_labels = true, .seed = 2});
  const DataSummary summary = summarise(data, ctx);
  Index samples = 0;
  for (const Bin& bin : summary.labels) samples += bin.count;
  EXPECT_EQ(samples, 500);
  Index classes = 0;
  for (const Bin& bin : summary.class_sizes) {
    classes += bin.count;
    EXPECT_LE(bin.low, bin.high);
  }
  EXPECT_EQ(classes, summary.labelled_nodes);
}

}  // namespace
}  // namespace clade
