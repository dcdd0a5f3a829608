#include "data/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/missing.h"
#include "data/random_data.h"

namespace clade {
namespace {

Dataset with_matrix(FeatureMatrix matrix) {
  const Index rows = row_count(matrix);
  LabelSets labels{.offsets = std::vector<Index>(static_cast<std::size_t>(rows) + 1, 0), .nodes = {}};
  return Dataset(
      {.features = std::move(matrix), .labels = std::move(labels), .taxonomy = random_taxonomy(2, false, 1)});
}

TEST(Storage, DenseAndSparseHoldTheSameValues) {
  Context ctx(Context::Options{.threads = 2});
  for (const bool single : {false, true}) {
    const RandomDataOptions options{
        .samples = 700, .features = 13, .single_precision = single, .missing = true, .seed = 8};
    const Precision precision = single ? Precision::kFloat : Precision::kDouble;
    std::vector<std::string> notes;
    const Dataset original = with_matrix(random_parts(options).features);
    FeatureMatrix sparse = stored_as(random_parts(options).features, Storage::kSparse, precision, notes, ctx);
    EXPECT_TRUE(is_sparse(sparse));
    FeatureMatrix dense = stored_as(std::move(sparse), Storage::kDense, precision, notes, ctx);
    EXPECT_FALSE(is_sparse(dense));
    EXPECT_EQ(is_single_precision(dense), single);
    EXPECT_EQ(difference(original, with_matrix(std::move(dense))), std::nullopt);
    EXPECT_TRUE(notes.empty());
  }
}

TEST(Storage, PrecisionIsRoundedOnce) {
  Context ctx;
  std::vector<std::string> notes;
  for (const bool sparse : {false, true}) {
    Dataset::Parts parts = random_parts({.samples = 5, .features = 4, .sparse = sparse, .seed = 8});
    const Dataset before =
        with_matrix(random_parts({.samples = 5, .features = 4, .sparse = sparse, .seed = 8}).features);
    const Dataset after =
        with_matrix(stored_as(std::move(parts.features), Storage::kAuto, Precision::kFloat, notes, ctx));
    EXPECT_TRUE(is_single_precision(after.matrix()));
    EXPECT_EQ(is_sparse(after.matrix()), sparse);
    for (Index s = 0; s < 5; ++s) {
      for (const auto& [feature, value] : values_of(before, s)) {
        EXPECT_EQ(values_of(after, s)[feature], static_cast<double>(static_cast<float>(value)));
      }
    }
  }
}

TEST(Storage, AutoMakesLargeAndAlmostEmptyDataSparseAndSaysSo) {
  Context ctx;
  std::vector<std::string> notes;
  DenseMatrix<double> zeros{1000, 1000, Buffer<double>(1'000'000)};
  std::ranges::fill(zeros.values, 0.0);
  zeros.values[5] = 1;
  const FeatureMatrix stored = stored_as(std::move(zeros), Storage::kAuto, Precision::kDouble, notes, ctx);
  EXPECT_TRUE(is_sparse(stored));
  EXPECT_EQ(count_nonzeros(stored, ctx), 1);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("kept sparse"), std::string::npos);
}

TEST(Storage, DenseThatCannotFitIsRefused) {
  Context ctx;
  std::vector<std::string> notes;
  SparseMatrix<double> tall{1'000'000, 2'000'000'000, Buffer<Index>(1'000'001), Buffer<FeatureIndex>(0),
                            Buffer<double>(0)};
  std::ranges::fill(tall.offsets, Index{0});
  EXPECT_THROW(stored_as(std::move(tall), Storage::kDense, Precision::kDouble, notes, ctx), Error);
}

TEST(Missing, MeanIsOverTheValuesThatAreThere) {
  Context ctx;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  DenseMatrix<double> dense{3, 3, Buffer<double>(9)};
  const double values[] = {1, nan, nan, 2, 4, nan, 6, 0, nan};
  std::ranges::copy(values, dense.values.begin());
  for (const bool sparse : {false, true}) {
    DenseMatrix<double> copy{3, 3, Buffer<double>(9)};
    std::ranges::copy(values, copy.values.begin());
    std::vector<std::string> notes;
    FeatureMatrix matrix =
        stored_as(std::move(copy), sparse ? Storage::kSparse : Storage::kDense, Precision::kDouble, notes, ctx);
    EXPECT_EQ(complete_rows(matrix), std::vector<Index>{});
    Index without_values = 0;
    const Replacement means = feature_means(matrix, without_values);
    EXPECT_EQ(means, (Replacement{3, 2, 0}));
    notes = replacement_notes(replace_missing(matrix, means, ctx), true, without_values);
    const Dataset data = with_matrix(std::move(matrix));
    EXPECT_EQ(values_of(data, 0)[1], 2);  // (4 + 0) / 2
    EXPECT_EQ(values_of(data, 0)[2], 0);  // nothing there
    EXPECT_EQ(notes, (std::vector<std::string>{"4 missing values replaced by their feature's mean",
                                               "1 features have no value at all: set to 0"}));
  }
}

TEST(Missing, ZeroReplacesAndCompleteRowsAreFound) {
  Context ctx;
  FeatureMatrix matrix = random_parts({.samples = 40, .features = 4, .missing = true, .seed = 4}).features;
  const auto& dense = std::get<DenseMatrix<double>>(matrix);
  std::vector<Index> expected;
  for (Index r = 0; r < 40; ++r) {
    if (std::ranges::none_of(dense.row(r), [](double x) { return std::isnan(x); })) expected.push_back(r);
  }
  EXPECT_EQ(complete_rows(matrix), expected);
  EXPECT_LT(expected.size(), 40U);
  EXPECT_GT(replace_missing(matrix, {}, ctx), 0);
  EXPECT_EQ(std::ssize(complete_rows(matrix)), 40);
}

}  // namespace
}  // namespace clade
