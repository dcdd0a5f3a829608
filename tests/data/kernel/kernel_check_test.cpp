#include "data/kernel/kernel_check.h"

#include <clade/text.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/kernel/kernel_cases.h"
#include "data/random_data.h"

namespace clade {
namespace {

using testing::dense_data;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string message(const Dataset& data, std::vector<std::string>* notes = nullptr) {
  std::vector<std::string> own;
  Context ctx({.threads = 2});
  try {
    check_precomputed(data, notes != nullptr ? *notes : own, ctx);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "";
}

Matrix random_kernel(Index n) {
  RandomStream random(1, {kTestStream, 70});
  const Matrix x = testing::random_vectors(n, 5, 1, random);
  return x * x.transpose();
}

TEST(PrecomputedKernel, IsAcceptedWithRounding) {
  Matrix k = random_kernel(200);
  EXPECT_EQ(message(dense_data(k)), "");
  k(3, 5) *= 1 + 1e-9;
  EXPECT_EQ(message(dense_data(k)), "");
  // A view has the matrix of the whole behind it.
  EXPECT_EQ(message(dense_data(k).subset({1, 2, 3})), "");
}

TEST(PrecomputedKernel, WhatIsNoneIsRefused) {
  const Matrix k = random_kernel(100);
  EXPECT_THAT(message(dense_data(k.leftCols(99))), HasSubstr("of 100 samples with 99 columns"));
  Matrix bad = k;
  bad(70, 5) += 0.5;
  EXPECT_THAT(message(dense_data(bad)), HasSubstr("not symmetric: row 70 is not column 70"));
  bad = k;
  bad(4, 4) = -1;
  EXPECT_THAT(message(dense_data(bad)), HasSubstr("of sample 4 with itself is -1"));
  bad = k;
  bad(1, 2) = bad(2, 1) = 1e3;
  EXPECT_THAT(message(dense_data(bad)), HasSubstr("negative eigenvalue"));
  bad = k;
  bad(9, 2) = NAN;
  EXPECT_THAT(message(dense_data(bad)), HasSubstr("not symmetric"));
}

TEST(PrecomputedKernel, SparseIsLookedUp) {
  const auto sparse_identity = [](double last) {
    SparseMatrix<double> m{4, 4, Buffer<Index>(5), Buffer<FeatureIndex>(5), Buffer<double>(5)};
    const Index offsets[] = {0, 1, 2, 3, 5};
    const FeatureIndex columns[] = {0, 1, 2, 1, 3};
    const double values[] = {1, 1, 1, last, 1};
    std::ranges::copy(offsets, m.offsets.begin());
    std::ranges::copy(columns, m.indices.begin());
    std::ranges::copy(values, m.values.begin());
    Dataset::Parts parts = random_parts({.samples = 4});
    parts.features = std::move(m);
    return Dataset(std::move(parts));
  };
  EXPECT_EQ(message(sparse_identity(0)), "");
  EXPECT_THAT(message(sparse_identity(0.5)), HasSubstr("row 3 is not column 3"));
}

TEST(PrecomputedKernel, LargeOnesAreSaidToBeUnchecked) {
  std::vector<std::string> notes;
  EXPECT_EQ(message(dense_data(Matrix::Identity(1000, 1000)), &notes), "");
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(message(dense_data(Matrix::Identity(1001, 1001)), &notes), "");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("was not checked"));
}

TEST(PrecomputedKernel, NewSamplesHaveTheColumnsOfTraining) {
  const Dataset data = dense_data(Matrix::Zero(3, 7));
  check_precomputed_columns(data, 7);
  EXPECT_THROW(check_precomputed_columns(data, 8), Error);
}

TEST(KernelFits, SequencesAndVectorsAreKeptApart) {
  Dataset::Parts parts = random_parts({});
  auto vectorizer = std::make_shared<TextVectorizer>();
  vectorizer->options.sequences = true;
  parts.vectorizer = vectorizer;
  const Dataset sequences(std::move(parts));
  const Dataset vectors = random_dataset({});
  EXPECT_THROW(check_kernel_fits(KernelKind::kSubsequence, vectors), Error);
  for (const KernelKind kind : {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf}) {
    check_kernel_fits(kind, vectors);
    EXPECT_THROW(check_kernel_fits(kind, sequences), Error);
  }
  check_kernel_fits(KernelKind::kSubsequence, sequences);
  check_kernel_fits(KernelKind::kPrecomputed, vectors);
  // Marked as sequences, but what is in it are not.
  Context ctx;
  EXPECT_THROW(KernelSamples(sequences, std::vector<Index>{0, 1, 2, 3}, {.kind = KernelKind::kSubsequence}, false, ctx),
               Error);
}

}  // namespace
}  // namespace clade
