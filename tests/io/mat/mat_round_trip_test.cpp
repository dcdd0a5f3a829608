// Read, write, read: everything of a data set survives both kinds of file.

#include <set>

#include "core/random.h"
#include "io/mat/mat_output.h"
#include "io/mat/mat_support.h"

namespace clade::mat_testing {
namespace {

constexpr bool kBothKinds[] = {false, true};

enum class Shape { kTree, kDag, kForest, kImpliedRoot, kFlat, kNumbered };

struct Case {
  Shape shape = Shape::kTree;
  bool sparse = false;
  bool single = false;
  bool names = false;
  int most_labels = 1;
  bool some_without = false;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Shape shape :
       {Shape::kTree, Shape::kDag, Shape::kForest, Shape::kImpliedRoot, Shape::kFlat, Shape::kNumbered}) {
    for (int bits = 0; bits < 8; ++bits) {
      for (const int most_labels : {1, 3}) {
        for (const bool some_without : {false, true}) {
          cases.push_back({shape, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, most_labels, some_without});
        }
      }
    }
  }
  return cases;
}

std::string odd_name(Index k) {
  const char* const kinds[] = {
      "plain", "with blank ", "a/b;c|d,e", "Größe", "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x98\x80", "12", "-"};
  return kinds[k % 8] + std::to_string(k / 8);
}

Taxonomy random_taxonomy(Shape shape, RandomStream& random) {
  constexpr Index kNodes = 20;
  TaxonomyBuilder builder;
  if (shape == Shape::kImpliedRoot || shape == Shape::kFlat) builder.imply_root();
  // Input order and the order of the hierarchy differ.
  std::vector<Index> order(kNodes);
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  random.shuffle(std::span(order));
  for (Index k = 0; k < kNodes; ++k) {
    builder.node(shape == Shape::kNumbered ? std::to_string(k + 1) : odd_name(k));
  }
  const auto node = [&](Index k) { return static_cast<NodeId>(order[static_cast<std::size_t>(k)]); };
  for (Index k = 1; k < kNodes && shape != Shape::kFlat; ++k) {
    if (shape == Shape::kForest && k < 4) continue;
    std::set<Index> parents{random.below(k)};
    while (shape == Shape::kDag && random.below(2) == 0) parents.insert(random.below(k));
    for (const Index parent : parents) builder.edge(node(parent), node(k));
  }
  return builder.build();
}

template <class T>
FeatureMatrix random_features(Index rows, Index columns, bool sparse, RandomStream& random) {
  DenseMatrix<T> dense{.rows = rows, .columns = columns, .values = Buffer<T>(rows * columns)};
  for (T& value : dense.values) {
    value = random.below(4) != 0 ? T(0) : static_cast<T>(random.normal());
    if (random.below(40) == 0) value = std::numeric_limits<T>::quiet_NaN();
  }
  if (!sparse) return dense;
  std::vector<FeatureIndex> indices;
  std::vector<T> values;
  SparseMatrix<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.offsets = Buffer<Index>(rows + 1);
  matrix.offsets[0] = 0;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const T value = dense.values[r * columns + c];
      if (value == 0 && random.below(50) != 0) continue;  // a zero may be stored all the same
      indices.push_back(static_cast<FeatureIndex>(c));
      values.push_back(value);
    }
    matrix.offsets[r + 1] = std::ssize(indices);
  }
  matrix.indices = Buffer<FeatureIndex>(std::ssize(indices));
  matrix.values = Buffer<T>(std::ssize(values));
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

// Inner nodes are labels too; none of a sample's labels is an ancestor of another.
LabelSets random_labels(const Taxonomy& taxonomy, const Case& kind, Index samples, RandomStream& random) {
  LabelSets sets;
  for (Index s = 0; s < samples; ++s) {
    std::set<NodeId> labels;
    const Index wanted = kind.some_without && random.below(5) == 0 ? 0 : 1 + random.below(kind.most_labels);
    for (Index k = 0; k < wanted; ++k) {
      const auto node = static_cast<NodeId>(random.below(taxonomy.size()));
      const bool related = std::any_of(labels.begin(), labels.end(), [&](NodeId other) {
        return taxonomy.is_ancestor(node, other) || taxonomy.is_ancestor(other, node);
      });
      const bool flat_root = kind.shape == Shape::kFlat && node == taxonomy.root() && random.below(3) != 0;
      if (!related && !flat_root) labels.insert(node);
    }
    if (labels.empty() && wanted > 0) labels.insert(taxonomy.leaves()[0]);
    sets.nodes.insert(sets.nodes.end(), labels.begin(), labels.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  }
  return sets;
}

Dataset random_dataset(const Case& kind, std::uint64_t seed, Index samples = 37, Index features = 9) {
  RandomStream random(seed, {kTestStream});
  Dataset::Parts parts{.features = kind.single ? random_features<float>(samples, features, kind.sparse, random)
                                               : random_features<double>(samples, features, kind.sparse, random),
                       .labels = {},
                       .taxonomy = random_taxonomy(kind.shape, random),
                       .feature_names = {},
                       .sample_names = {},
                       .vectorizer = nullptr};
  parts.labels = random_labels(*parts.taxonomy, kind, samples, random);
  for (Index f = 0; kind.names && f < features; ++f) parts.feature_names.push_back(f == 3 ? "" : odd_name(f));
  for (Index s = 0; kind.names && s < samples; ++s) parts.sample_names.push_back(odd_name(s));
  return Dataset(std::move(parts));
}

Dataset read_back(std::string_view bytes, bool single) {
  ReadOptions options;
  if (single) options.precision = Precision::kFloat;
  return as_dataset(parse(bytes, options));
}

TEST(MatRoundTrip, EverythingSurvives) {
  std::uint64_t seed = 0;
  for (const Case& kind : all_cases()) {
    const Dataset data = random_dataset(kind, ++seed);
    for (const bool mat73 : kBothKinds) {
      const Dataset back = read_back(written(data, mat73), kind.single);
      EXPECT_EQ(difference(data, back), std::nullopt) << "seed " << seed << (mat73 ? ", 7.3" : ", level 5");
      EXPECT_EQ(is_sparse(data.matrix()), is_sparse(back.matrix()));
      for (NodeId node = 0; node < data.taxonomy().size(); ++node) {
        EXPECT_EQ(data.taxonomy().input_position(node), back.taxonomy().input_position(node)) << seed;
      }
    }
  }
}

TEST(MatRoundTrip, DegenerateDataSurvives) {
  for (const auto& [samples, features] : {std::pair<Index, Index>{0, 3}, {1, 0}, {1, 1}, {2, 0}}) {
    for (const Case& kind : all_cases()) {
      const Dataset data = random_dataset(kind, 99, samples, features);
      for (const bool mat73 : kBothKinds) {
        const Dataset back = read_back(written(data, mat73), kind.single);
        EXPECT_EQ(difference(data, back), std::nullopt)
            << samples << " x " << features << ", shape " << static_cast<int>(kind.shape);
      }
    }
  }
}

TEST(MatRoundTrip, ClassNumbersNeedNoNames) {
  // A class without a sample, or classes in another order than that of their numbers, need them.
  const auto flat = [](const std::vector<std::string>& classes, const std::vector<NodeId>& labels) {
    LabelSets sets;
    for (const NodeId label : labels) {
      sets.nodes.push_back(label);
      sets.offsets.push_back(std::ssize(sets.nodes));
    }
    DenseMatrix<double> matrix{.rows = std::ssize(labels), .columns = 1, .values = Buffer<double>(std::ssize(labels))};
    std::fill(matrix.values.begin(), matrix.values.end(), 1.5);
    return Dataset({.features = std::move(matrix),
                    .labels = std::move(sets),
                    .taxonomy = flat_taxonomy(classes),
                    .feature_names = {},
                    .sample_names = {},
                    .vectorizer = nullptr});
  };
  const auto has_names = [](const Dataset& data) {
    for (const bool mat73 : kBothKinds) {
      EXPECT_EQ(difference(data, read_back(written(data, mat73), false)), std::nullopt);
    }
    return written(data, true).find("node_names") != std::string::npos;
  };
  EXPECT_FALSE(has_names(flat({"-3", "0", "12"}, {3, 1, 2, 3})));
  EXPECT_TRUE(has_names(flat({"-3", "0", "12"}, {3, 1, 3})));
  EXPECT_TRUE(has_names(flat({"12", "0"}, {1, 2})));
  EXPECT_TRUE(has_names(flat({"1", "02"}, {1, 2})));
  EXPECT_TRUE(has_names(flat({"a"}, {1, 1})));
  EXPECT_FALSE(has_names(flat({}, {})));
}

TEST(MatRoundTrip, TreesNamedByRowsAreThePlainLayout) {
  const Dataset data = as_dataset(parse(small_tree()));
  const std::string file = written(data, true);
  for (const char* extra : {"node_names", "labels", "parents", "virtual_root"}) {
    EXPECT_EQ(file.find(extra), std::string::npos) << extra;
  }
  EXPECT_NE(file.find("data_array"), std::string::npos);
}

TEST(MatRoundTrip, ViewsAndMiscellaneousLeavesAreWrittenAsTheyStand) {
  const Dataset data = random_dataset({.shape = Shape::kDag, .names = true, .most_labels = 2}, 5);
  const Dataset view = data.subset({5, 5, 0, 36, 7});
  const Dataset leaves = with_leaf_labels(data);
  for (const bool mat73 : kBothKinds) {
    EXPECT_EQ(difference(view, read_back(written(view, mat73), false)), std::nullopt);
    EXPECT_EQ(difference(data, read_back(written(leaves, mat73), false)), std::nullopt);
  }
}

TEST(MatRoundTrip, LargeDataOfManyBlocksAndThreads) {
  for (const bool sparse : {false, true}) {
    const Dataset data = random_dataset({.sparse = sparse, .names = true}, 11, 3000, 130);
    for (const bool mat73 : kBothKinds) {
      const std::string file = written(data, mat73, 1);
      EXPECT_EQ(file, written(data, mat73, 2));
      EXPECT_EQ(file, written(data, mat73, 3));
      for (const int threads : {1, 2, 3}) {
        EXPECT_EQ(difference(data, as_dataset(parse(file, {}, threads))), std::nullopt);
      }
    }
  }
}

// The limit of level 5: 2^31 - 1 bytes of a variable before packing. Values are not asked for until they are written.
TEST(MatRoundTrip, WhatLevel5CannotHoldIsKnownBeforeWriting) {
  const auto dense = [](Index rows, Index columns, bool single) {
    MatOutput variable;
    variable.kind = single ? MatOutput::Kind::kSingle : MatOutput::Kind::kDouble;
    variable.rows = rows;
    variable.columns = columns;
    return fits_mat5(variable);
  };
  EXPECT_TRUE(dense(20'000, 13'000, false));  // 2.08e9 bytes
  EXPECT_FALSE(dense(20'000, 14'000, false));
  EXPECT_TRUE(dense(20'000, 14'000, true));
  EXPECT_FALSE(dense(Index{1} << 31, 0, true));
  EXPECT_FALSE(dense(Index{1} << 40, Index{1} << 40, true));
}

TEST(MatRoundTrip, NamesThatAreNoTextAreRefused) {
  for (const bool mat73 : kBothKinds) {
    Dataset::Parts parts{.features = DenseMatrix<double>{.rows = 0, .columns = 1, .values = Buffer<double>(0)},
                         .labels = {},
                         .taxonomy = flat_taxonomy({}),
                         .feature_names = {"\xFF"},
                         .sample_names = {},
                         .vectorizer = nullptr};
    const Dataset data(std::move(parts));
    EXPECT_THROW(written(data, mat73), Error);
  }
}

}  // namespace
}  // namespace clade::mat_testing
