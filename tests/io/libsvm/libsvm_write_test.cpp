#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "io/libsvm/libsvm.h"

namespace clade {
namespace {

using ::testing::HasSubstr;

Context context_with(int threads) {
  Context::Options options;
  options.threads = threads;
  return Context(options);
}

std::string written(const Dataset& data, int threads = 1) {
  Context ctx = context_with(threads);
  StringSink sink;
  write_libsvm(data, {}, sink, ctx);
  return sink.text();
}

std::string error_of(const Dataset& data) {
  try {
    written(data);
    return "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kInput);
    return e.what();
  }
}

template <class T>
DenseMatrix<T> dense(Index rows, Index columns, const std::vector<T>& values) {
  DenseMatrix<T> matrix{.rows = rows, .columns = columns, .values = Buffer<T>(rows * columns)};
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

// Labels as positions in the flat taxonomy's names.
Dataset dataset(FeatureMatrix features, const std::vector<std::string>& names,
                const std::vector<std::vector<int>>& labels) {
  Dataset::Parts parts;
  parts.features = std::move(features);
  const Taxonomy taxonomy = flat_taxonomy(names);
  parts.taxonomy = taxonomy;
  for (const auto& of_sample : labels) {
    for (const int k : of_sample)
      parts.labels.nodes.push_back(taxonomy.find(names[static_cast<std::size_t>(k)]).value_or(kNoNode));
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  return Dataset(std::move(parts));
}

TEST(LibsvmWrite, WritesNonZeroValuesFromIndexOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Dataset data =
      dataset(dense<double>(3, 3, {0.1, 0, -2, 0, -0.0, -nan, 1e300, 5e-324, 0}), {"a", "b"}, {{0}, {0, 1}, {}});
  EXPECT_EQ(written(data), "a 1:0.1 3:-2\na,b 3:nan\n 1:1e+300 2:5e-324\n");
}

TEST(LibsvmWrite, SinglePrecisionIsWrittenShort) {
  EXPECT_EQ(written(dataset(dense<float>(1, 2, {0.1F, 16777217.0F}), {"a"}, {{0}})), "a 1:0.1 2:16777216\n");
}

TEST(LibsvmWrite, EmptyRowsStayRows) {
  const Dataset data = dataset(dense<double>(3, 2, {0, 0, 0, 0, 0, 0}), {"a"}, {{0}, {0}, {}});
  EXPECT_EQ(written(data), "a 1:0\na\n 1:0\n");
}

TEST(LibsvmWrite, ViewsAreWrittenInTheirOrder) {
  const Dataset data = dataset(dense<double>(3, 1, {1, 2, 3}), {"a", "b"}, {{0}, {1}, {0}});
  EXPECT_EQ(written(data.subset({2, 0, 2})), "a 1:3\na 1:1\na 1:3\n");
}

TEST(LibsvmWrite, MiscellaneousLeavesAreWrittenAsTheirParents) {
  TaxonomyBuilder builder;
  builder.edge("root", "inner");
  builder.edge("inner", "leaf");
  Dataset::Parts parts;
  parts.features = dense<double>(2, 1, {1, 2});
  const Taxonomy taxonomy = builder.build();
  parts.taxonomy = taxonomy;
  parts.labels.nodes = {taxonomy.find("inner").value_or(kNoNode), taxonomy.find("leaf").value_or(kNoNode)};
  parts.labels.offsets = {0, 1, 2};
  const Dataset data = with_leaf_labels(Dataset(std::move(parts)));
  ASSERT_TRUE(data.taxonomy().is_miscellaneous(data.labels(0)[0]));
  EXPECT_EQ(written(data), "inner 1:1\nleaf 1:2\n");
}

TEST(LibsvmWrite, LabelsThatTheFormatCannotHoldAreRefused) {
  for (const std::string& name :
       std::vector<std::string>{"a b", "a,b", "GO:1", "c#", "tab\t", "line\n", "\x7f", "\xe9"}) {
    const Dataset data = dataset(dense<double>(1, 1, {1}), {"fine", name}, {{1}});
    EXPECT_THAT(error_of(data), HasSubstr("cannot be written as LIBSVM")) << name;
  }
  // A name that no sample has does no harm.
  EXPECT_EQ(written(dataset(dense<double>(1, 1, {1}), {"fine", "a b"}, {{0}})), "fine 1:1\n");
}

TEST(LibsvmWrite, WhatCannotBeReadBackIsRefused) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(error_of(dataset(dense<double>(1, 2, {1, -inf}), {"a"}, {{0}})),
              HasSubstr("sample 1 has an infinite value at feature 2"));
  EXPECT_THAT(error_of(dataset(dense<double>(1, 0, {}), {"a"}, {{0}})), HasSubstr("data without features"));
}

TEST(LibsvmWrite, HoldsNothingButValuesAndLabels) {
  const auto holds = libsvm_holds(dataset(dense<double>(1, 1, {1}), {"a"}, {{0}}));
  EXPECT_FALSE(holds.feature_names || holds.sample_names || holds.taxonomy || holds.feature_count);
}

template <class T>
SparseMatrix<T> random_sparse(RandomStream& random, Index rows, Index columns) {
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> indices;
  std::vector<T> values;
  for (Index r = 0; r < rows; ++r) {
    const Index step = 1 + random.below(columns);
    for (Index c = random.below(step); c < columns; c += 1 + random.below(step)) {
      indices.push_back(static_cast<FeatureIndex>(c));
      const bool special = random.below(20) == 0;
      values.push_back(special ? (random.below(2) == 0 ? T(0) : std::numeric_limits<T>::quiet_NaN())
                               : static_cast<T>(random.normal() * std::pow(10, 30 * (random.uniform() - 0.5))));
    }
    offsets.push_back(static_cast<Index>(indices.size()));
  }
  SparseMatrix<T> matrix{.rows = rows,
                         .columns = columns,
                         .offsets = Buffer<Index>(rows + 1),
                         .indices = Buffer<FeatureIndex>(static_cast<Index>(indices.size())),
                         .values = Buffer<T>(static_cast<Index>(values.size()))};
  std::copy(offsets.begin(), offsets.end(), matrix.offsets.begin());
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

template <class T>
DenseMatrix<T> as_dense(const SparseMatrix<T>& sparse) {
  DenseMatrix<T> matrix{
      .rows = sparse.rows, .columns = sparse.columns, .values = Buffer<T>(sparse.rows * sparse.columns)};
  std::fill(matrix.values.begin(), matrix.values.end(), T(0));
  for (Index r = 0; r < sparse.rows; ++r) {
    for (std::size_t k = 0; k < sparse.row_indices(r).size(); ++k) {
      matrix.values[r * sparse.columns + sparse.row_indices(r)[k]] = sparse.row_values(r)[k];
    }
  }
  return matrix;
}

// What was read, over the taxonomy of what was written.
Dataset read_back(const std::string& text, const Dataset& original, int threads) {
  Context ctx = context_with(threads);
  ReadOptions options;
  options.features = original.features();
  options.precision = is_single_precision(original.matrix()) ? Precision::kFloat : Precision::kDouble;
  ParsedData parsed = read_libsvm_in_chunks(Input::from_bytes("x.svm", text), options, ctx, 1000);
  Dataset::Parts parts;
  parts.taxonomy = original.taxonomy();
  for (Index sample = 0; sample < parsed.labels.samples(); ++sample) {
    for (const std::int32_t label : parsed.labels.of(sample)) {
      const std::string& name = parsed.labels.names()[static_cast<std::size_t>(label)];
      parts.labels.nodes.push_back(original.taxonomy().find(name).value_or(kNoNode));
    }
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  parts.features = std::move(parsed.features);
  return Dataset(std::move(parts));
}

template <class T>
void check_round_trips(std::uint64_t name) {
  RandomStream random(1, {kTestStream, name});
  const Index rows = 1 + random.below(300);
  const Index columns = 1 + random.below(400);
  std::vector<std::vector<int>> labels(static_cast<std::size_t>(rows));
  for (auto& of_sample : labels) {
    for (int k = 0; k < 3; ++k) {
      if (random.below(2) == 0) of_sample.push_back(k);
    }
  }
  auto sparse = random_sparse<T>(random, rows, columns);
  auto full = as_dense(sparse);
  const std::vector<std::string> names = {"one", "a/b", "\u00e9t\u00e9"};
  for (const Dataset& data : {dataset(std::move(sparse), names, labels), dataset(std::move(full), names, labels)}) {
    const std::string text = written(data, 1);
    ASSERT_EQ(text, written(data, 2));
    ASSERT_EQ(text, written(data, 3));
    for (const int threads : {1, 2}) {
      const Dataset again = read_back(text, data, threads);
      ASSERT_EQ(difference(data, again).value_or("none"), "none");
      ASSERT_EQ(written(again), text);
    }
  }
}

TEST(LibsvmWrite, RoundTripsAreIdentical) {
  for (std::uint64_t name = 0; name < 30; ++name) {
    check_round_trips<double>(name);
    check_round_trips<float>(name);
  }
}

// More rows than one block, so that blocks are written in order and in several waves.
TEST(LibsvmWrite, ManyBlocksAreWrittenInOrder) {
  const Index rows = 700000;
  std::vector<double> values(static_cast<std::size_t>(rows));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k + 1);
  const Dataset data =
      dataset(dense<double>(rows, 1, values), {"a"}, std::vector<std::vector<int>>(values.size(), {0}));
  const std::string text = written(data, 2);
  const std::string alone = written(data, 1);
  ASSERT_TRUE(text == alone);
  std::size_t at = 0;
  for (Index k = 1; k <= rows; ++k) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    ASSERT_EQ(std::stod(text.substr(at + 4, end - at - 4)), static_cast<double>(k));
    at = end + 1;
  }
  EXPECT_EQ(at, text.size());
}

}  // namespace
}  // namespace clade
