#include "data/kernel/kernel_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "data/kernel/kernel_cases.h"
#include "data/random_data.h"
#include "math/decompositions.h"

namespace clade {
namespace {

using testing::all_values;
using testing::arrays_of;
using ::testing::HasSubstr;
using testing::random_vectors;

constexpr KernelKind kVectorKernels[] = {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf};

std::vector<Index> all_of(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(KernelSamples, AreThePlainFormulas) {
  Context ctx;
  for (const KernelKind kind : kVectorKernels) {
    for (const double share : {1.0, 0.2}) {
      RandomStream random(1, {kTestStream, 50});
      const Matrix x = random_vectors(60, 31, share, random);
      for (const int degree : {1, 2, 3, 7}) {
        const KernelOptions options{.kind = kind, .degree = degree, .gamma = 0.07, .coef0 = 0.5};
        const KernelSamples samples(arrays_of(x), options, ctx);
        const Matrix expected = testing::plain_kernel(x, options);
        const Matrix values = all_values(samples, samples, options);
        EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
        EXPECT_LT((values - values.transpose()).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
        for (Index i = 0; i < x.rows(); ++i) EXPECT_EQ(values(i, i), samples.self(options, i));
        const double least = symmetric_eigenvalues(values)(0);
        EXPECT_GT(least, -1e-10 * expected.cwiseAbs().maxCoeff());
      }
    }
  }
}

// sklearn.metrics.pairwise.pairwise_kernels of scikit-learn 1.2.1 on these five vectors: lower triangles by rows.
TEST(KernelSamples, AreThoseOfScikitLearn) {
  Matrix x(5, 4);
  x << 1, 0, 2, 0, 0, 0.5, -1, 3, 2, 2, 0, -1.5, 0, 0, 0, 0, 0.25, -4, 1, 1;
  struct Case {
    KernelOptions options;
    std::vector<double> values;
  };
  const Case cases[] = {
      {{.kind = KernelKind::kPolynomial, .gamma = 0.3},
       {15.625, 0.06400000000000002, 67.66792187499996, 4.096000000000001, -0.00012500000000000033, 67.66792187499996,
        1.0, 1.0, 1.0, 1.0, 4.699421874999998, 1.0, -4.912999999999998, 1.0, 264.45475659179687}},
      {{.kind = KernelKind::kRbf, .gamma = 0.3},
       {1.0, 0.0031041976586493117, 1.0, 0.03421811831166604, 0.00026125855730166754, 1.0, 0.22313016014842982,
        0.04618962838168012, 0.04618962838168012, 1.0, 0.0038152465113113964, 0.00020474402860064437,
        9.247429776914147e-07, 0.004432684041291198, 1.0}},
      // gamma="scale"
      {{.kind = KernelKind::kRbf},
       {1.0, 0.0989460404541133, 1.0, 0.2587588309115825, 0.036715959758267906, 1.0, 0.5483584303094219,
        0.2917979761472256, 0.2917979761472256, 1.0, 0.1074674756091377, 0.03330066225210899, 0.0038289981711602246,
        0.11412232083236679, 1.0}},
      {{.kind = KernelKind::kPolynomial, .degree = 2, .coef0 = 0.5},
       {1.2118181815617957, 0.06742827292521585, 2.9987626504092395, 0.5480891816747464, 0.006307807200352983,
        2.9987626504092395, 0.25, 0.25, 0.25, 0.25, 0.5934726504106497, 0.25, 0.33812718313817447, 0.25,
        7.13148701648394}},
      {{.kind = KernelKind::kLinear},
       {5.0, -2.0, 10.25, 2.0, -3.5, 10.25, 0.0, 0.0, 0.0, 0.0, 2.25, 0.0, -9.0, 0.0, 18.0625}},
  };
  Context ctx;
  for (const Case& c : cases) {
    const KernelSamples samples(arrays_of(x), c.options, ctx);
    const Matrix values = all_values(samples, samples, with_gamma(c.options, samples));
    std::size_t at = 0;
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j <= i; ++j, ++at)
        EXPECT_NEAR(values(i, j), c.values[at], 1e-12 * std::abs(c.values[at]) + 1e-14);
    }
  }
}

TEST(KernelSamples, TakeRowsOfADataSetOfAnyStorage) {
  Context ctx;
  for (const bool sparse : {false, true}) {
    for (const bool single : {false, true}) {
      const Dataset whole =
          random_dataset({.samples = 40, .features = 9, .sparse = sparse, .single_precision = single});
      const Dataset data = whole.subset({5, 0, 31, 7, 7, 20});
      const std::vector<Index> rows{4, 1, 2};
      for (const bool unit : {false, true}) {
        Matrix x = Matrix::Zero(3, 9);
        for (Index r = 0; r < 3; ++r) {
          for (const auto& [f, value] : values_of(data, rows[static_cast<std::size_t>(r)])) x(r, f) = value;
          if (unit) x.row(r).normalize();
        }
        const KernelOptions options{.kind = KernelKind::kRbf, .gamma = 0.3};
        const KernelSamples samples(data, rows, options, unit, ctx);
        EXPECT_EQ(samples.width(), 9);
        EXPECT_LT((all_values(samples, samples, options) - testing::plain_kernel(x, options)).norm(), 1e-12);
      }
    }
  }
}

// Equal samples are at distance 0, also where one of them comes from a file; and nothing is beyond 1.
TEST(KernelSamples, EqualSamplesGiveExactlyOne) {
  Context ctx;
  RandomStream random(2, {kTestStream, 51});
  const KernelOptions options{.kind = KernelKind::kRbf, .gamma = 1e9};
  const Matrix x = 1e3 * random_vectors(50, 67, 0.6, random);
  const KernelSamples samples(arrays_of(x), options, ctx);
  const std::vector<Index> every_third{0, 3, 6, 9, 12, 15};
  const KernelSamples kept(samples.arrays(every_third), options, ctx);
  const Matrix values = all_values(samples, kept, options);
  EXPECT_LE(values.maxCoeff(), 1);
  for (std::size_t k = 0; k < every_third.size(); ++k) EXPECT_EQ(values(every_third[k], static_cast<Index>(k)), 1);
}

TEST(KernelSamples, ArraysGiveTheSameValuesAgain) {
  Context ctx;
  RandomStream random(3, {kTestStream, 52});
  const KernelOptions rbf{.kind = KernelKind::kRbf, .gamma = 0.01};
  const KernelSamples vectors(arrays_of(random_vectors(30, 20, 0.3, random)), rbf, ctx);
  const KernelOptions subsequence{.kind = KernelKind::kSubsequence, .subsequence_length = 2};
  const KernelSamples strings(testing::random_strings(30, 12, 3, random), subsequence, ctx);
  const std::vector<Index> rows{29, 3, 3, 11};
  const KernelSamples part(vectors.arrays(rows), rbf, ctx);
  const KernelSamples strings_part(strings.arrays(rows), subsequence, ctx);
  const Matrix whole = all_values(vectors, vectors, rbf);
  const Matrix strings_whole = all_values(strings, strings, subsequence);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(Matrix(all_values(vectors, part, rbf)).col(static_cast<Index>(k)), whole.col(rows[k]));
    EXPECT_EQ(Matrix(all_values(strings, strings_part, subsequence)).col(static_cast<Index>(k)),
              strings_whole.col(rows[k]));
  }
}

// New samples with more columns than were trained with, and with fewer.
TEST(KernelSamples, WidthsMayDiffer) {
  Context ctx;
  const KernelOptions options;
  const KernelSamples narrow({.width = 2, .offsets = {0, 2}, .columns = {0, 1}, .values = {2, 3}}, options, ctx);
  const KernelSamples wide({.width = 90, .offsets = {0, 2}, .columns = {1, 80}, .values = {5, 7}}, options, ctx);
  EXPECT_EQ(all_values(narrow, wide, options)(0, 0), 15);
  EXPECT_EQ(all_values(wide, narrow, options)(0, 0), 15);
}

TEST(KernelSamples, GammaOfData) {
  Context ctx;
  KernelOptions options{.kind = KernelKind::kRbf};
  const KernelSamples equal({.width = 3, .offsets = {0, 3}, .columns = {0, 1, 2}, .values = {4, 4, 4}}, options, ctx);
  EXPECT_EQ(with_gamma(options, equal).gamma, 1);
  const KernelSamples none({.width = 3}, options, ctx);
  EXPECT_EQ(with_gamma(options, none).gamma, 1);
  options.gamma = 0.25;
  EXPECT_EQ(with_gamma(options, equal).gamma, 0.25);
}

// The values of a kernel are the columns of the training samples, in folds as well.
TEST(KernelSamples, PrecomputedRowsOfFolds) {
  Context ctx;
  RandomStream random(6, {kTestStream, 53});
  const Matrix x = random_vectors(12, 5, 1, random);
  const Matrix k = x * x.transpose();
  const Dataset data = testing::dense_data(k);
  const KernelOptions options{.kind = KernelKind::kPrecomputed};
  const std::vector<Index> fold{7, 2, 9, 4};
  const std::vector<Index> rest{0, 1, 3, 5};
  const Dataset training = data.subset(fold);
  const Dataset held_out = data.subset(rest);
  const KernelSamples a(training, all_of(4), options, true, ctx);
  const KernelSamples b(held_out, all_of(4), options, true, ctx);
  const KernelSamples stored(a.arrays(std::vector<Index>{1, 3}), options, ctx);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(a.self(options, i), k(fold[static_cast<std::size_t>(i)], fold[static_cast<std::size_t>(i)]));
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(all_values(b, a, options)(i, j),
                k(rest[static_cast<std::size_t>(i)], fold[static_cast<std::size_t>(j)]));
    }
    EXPECT_EQ(all_values(b, stored, options)(i, 0), k(rest[static_cast<std::size_t>(i)], 2));
    EXPECT_EQ(all_values(b, stored, options)(i, 1), k(rest[static_cast<std::size_t>(i)], 4));
  }
}

TEST(KernelSamples, BadArraysAreRefused) {
  Context ctx;
  const KernelOptions linear;
  const KernelOptions strings{.kind = KernelKind::kSubsequence};
  const KernelOptions given{.kind = KernelKind::kPrecomputed};
  const auto refused = [&](KernelArrays arrays, const KernelOptions& options) {
    return message([&] { const KernelSamples samples(std::move(arrays), options, ctx); });
  };
  EXPECT_THAT(refused({.width = 2, .offsets = {}}, linear), HasSubstr("do not fit together"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 2}, .columns = {0}, .values = {1}}, linear), HasSubstr("do not fit"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 2, 1}, .columns = {0}, .values = {1}}, linear),
              HasSubstr("do not fit"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {2}, .values = {1}}, linear),
              HasSubstr("out of range"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {-1}, .values = {1}}, linear),
              HasSubstr("out of range"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 2}, .columns = {1, 1}, .values = {1, 1}}, linear),
              HasSubstr("ascend"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {1}, .values = {NAN}}, linear), HasSubstr("finite"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {1}, .values = {65}}, strings), HasSubstr("sequence"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {0}, .values = {0.5}}, strings),
              HasSubstr("sequence"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {0}, .values = {2e6}}, strings),
              HasSubstr("sequence"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 1}, .columns = {0}, .values = {2}}, given), HasSubstr("column"));
  EXPECT_THAT(refused({.width = 2, .offsets = {0, 0}}, given), HasSubstr("column"));
}

TEST(KernelOptions, AreDescribed) {
  KernelOptions options;
  ParameterTable table(options);
  table.set("kernel", "subsequence");
  table.set("decay", "1");
  table.set("gamma", "0.5");
  EXPECT_EQ(options.kind, KernelKind::kSubsequence);
  EXPECT_EQ(options.gamma, 0.5);
  EXPECT_THAT(message([&] { table.set("decay", "0"); }), HasSubstr("above 0 to 1"));
  EXPECT_THAT(message([&] { table.set("decay", "1.5"); }), HasSubstr("`decay`"));
  EXPECT_THAT(message([&] { table.set("degree", "0"); }), HasSubstr("`degree`"));
  EXPECT_THAT(message([&] { table.set("kernel", "cosine"); }), HasSubstr("rbf"));
}

}  // namespace
}  // namespace clade
