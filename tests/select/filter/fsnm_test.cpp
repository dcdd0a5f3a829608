#include <gmock/gmock.h>

#include <Eigen/LU>

#include "select/filter/filter_cases.h"

namespace clade {
namespace {

using namespace testing;

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

template <class Real>
Vector<Real> row_norms(const Matrix<Real>& m) {
  Vector<Real> norms(m.rows());
  for (Index i = 0; i < m.rows(); ++i) norms[i] = std::sqrt(m.row(i).squaredNorm());
  return norms;
}

struct Solved {
  Eigen::MatrixXd w;
  std::vector<double> objective;

  Eigen::VectorXd norms() const { return row_norms<double>(w); }
};

// The update as it stands in the paper, without symmetry. Residuals that vanish give their rows a weight of 2^25, so
// this loses digits that a reference must have to spare: eighty bits, where it is not too slow.
template <class Real = long double>
Solved fsnm_by_definition(const PlainTable& table, double gamma, int iterations) {
  const Matrix<Real> x = table.x.cast<Real>();
  const Matrix<Real> y = table.y.cast<Real>();
  Matrix<Real> w;
  Vector<Real> d = Vector<Real>::Ones(x.cols());
  Vector<Real> e = Vector<Real>::Ones(x.rows());
  Solved solved;
  for (int t = 0; t < iterations; ++t) {
    const Matrix<Real> left = d.asDiagonal() * x.transpose() * e.asDiagonal();
    Matrix<Real> a = left * x;
    a.diagonal().array() += Real(gamma);
    w = a.partialPivLu().solve(Matrix<Real>(left * y));
    const Matrix<Real> r = x * w - y;
    d = 2 * row_norms<Real>(w);
    for (Index i = 0; i < e.size(); ++i) {
      e[i] = 1 / (2 * std::sqrt(r.row(i).squaredNorm() + std::pow(Real(2), Real(-52))));
    }
    solved.objective.push_back(static_cast<double>(row_norms<Real>(r).sum() + Real(gamma) * row_norms<Real>(w).sum()));
  }
  solved.w = w.template cast<double>();
  return solved;
}

void expect_close(const Eigen::VectorXd& weights, const Eigen::VectorXd& expected, double tolerance = 1e-8) {
  const double largest = expected.maxCoeff();
  for (Index j = 0; j < weights.size(); ++j) {
    ASSERT_NEAR(weights[j], expected[j], tolerance * largest) << "feature " << j;
  }
}

// A small gamma makes more residuals vanish. Those are computed to 2^-53 and count by their size down to 2^-26, which
// leaves half of the digits: no implementation in double precision does better where features are fewer than samples.
TEST(Fsnm, MatchesTheDefinition) {
  for (const double gamma : {1.0, 0.3}) {
    const Settings settings{{"gamma", std::to_string(gamma)}};
    for_each_filter_result(
        make_fsnm, settings, 0, [&](const Dataset&, const PlainTable& table, const NodeRanking& node) {
          expect_descending_with_ties_by_index(node);
          expect_close(weights_by_feature(node), fsnm_by_definition(table, gamma, 10).norms(), gamma < 1 ? 5e-7 : 1e-8);
        });
  }
}

TEST(Fsnm, AsPublishedRanksByTheFirstChildAlone) {
  const Settings settings{{"as-published", "true"}};
  for_each_filter_result(make_fsnm, settings, 0, [&](const Dataset&, const PlainTable& table, const NodeRanking& node) {
    expect_descending_with_ties_by_index(node);
    expect_close(weights_by_feature(node), fsnm_by_definition(table, 1, 10).w.col(0).cwiseAbs());
  });
}

TEST(Fsnm, TheObjectiveIsTheSumOverNodesAndNeverRises) {
  for (const auto& c : filter_cases()) {
    SCOPED_TRACE(c.name);
    const Dataset data = random_dataset(c.options);
    const auto result = run_filter(make_fsnm, data, false, {{"iterations", "25"}});
    ASSERT_EQ(result.objective.size(), 25U);
    std::vector<double> expected(25, 0.0);
    for (const auto& node : result.nodes) {
      if (node.samples == 0) continue;
      const auto solved = fsnm_by_definition(plain_table(data, node.node), 1, 25);
      for (std::size_t t = 0; t < 25; ++t) expected[t] += solved.objective[t];
    }
    for (std::size_t t = 0; t < 25; ++t) {
      EXPECT_NEAR(result.objective[t], expected[t], 1e-6 * expected[t]);
      // The floor under residuals is part of what falls: it allows a rise of 2^-26 per sample at most.
      const double before = result.objective[t == 0 ? 0 : t - 1];
      EXPECT_LE(result.objective[t], before * (1 + 1e-9) + 1e-6);
    }
  }
}

// Tall and wide forms, blocks and tiles, sparse products: all in one number, far beyond the small cases.
TEST(Fsnm, LargeTablesMatchTheDefinition) {
  for (const auto& [samples, features] : {std::pair<Index, Index>{1300, 290}, {290, 1100}}) {
    for (const bool sparse : {false, true}) {
      const Dataset data = random_dataset({.samples = samples,
                                           .features = features,
                                           .nodes = 5,
                                           .sparse = sparse,
                                           .density = sparse ? 0.05 : 0.8,
                                           .seed = 3});
      const auto result = run_filter(make_fsnm, data, true, {{"iterations", "3"}});
      const auto solved = fsnm_by_definition<double>(plain_table(data, kNoNode), 1, 3);
      expect_close(weights_by_feature(result.nodes[0]), solved.norms());
    }
  }
}

TEST(Fsnm, EqualColumnsGetEqualWeightsAndConstantZerosNone) {
  for (const Index samples : {40, 6}) {
    auto parts = random_parts({.samples = samples, .features = 8, .nodes = 6, .density = 1, .seed = 5});
    auto& m = std::get<DenseMatrix<double>>(parts.features);
    for (Index r = 0; r < samples; ++r) {
      m.values[r * 8 + 5] = m.values[r * 8 + 2];
      m.values[r * 8 + 6] = 0;
    }
    const auto weights = weights_by_feature(run_filter(make_fsnm, Dataset(std::move(parts)), true).nodes[0]);
    EXPECT_NEAR(weights[2], weights[5], 1e-9 * weights.maxCoeff());
    EXPECT_EQ(weights[6], 0);
  }
}

// Columns of this size that repeat each other leave no digit for gamma: the answer must still be one, and said to be
// approximate.
TEST(Fsnm, ASystemThatIsSingularToRoundingIsSolvedAndNamed) {
  auto parts = random_parts({.samples = 40, .features = 8, .nodes = 6, .density = 1, .seed = 5});
  auto& m = std::get<DenseMatrix<double>>(parts.features);
  for (Index r = 0; r < 40; ++r) {
    for (Index j = 0; j < 8; ++j) m.values[r * 8 + j] = 1e12 * m.values[r * 8 + j / 2 * 2];
  }
  const auto result = run_filter(make_fsnm, Dataset(std::move(parts)), true);
  for (const double weight : result.nodes[0].weight) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_THAT(result.notes, ::testing::Contains(::testing::HasSubstr("singular")));
}

TEST(Fsnm, ValuesTooLargeToMultiplyAreRefused) {
  auto parts = random_parts({.samples = 10, .features = 4, .density = 1, .seed = 6});
  for (double& value : std::get<DenseMatrix<double>>(parts.features).values) value *= 1e200;
  EXPECT_THROW(run_filter(make_fsnm, Dataset(std::move(parts)), true), Error);
}

TEST(Fsnm, IsTheSameForAnyNumberOfThreads) {
  expect_same_for_any_number_of_threads(make_fsnm, {{"iterations", "3"}});
}

}  // namespace
}  // namespace clade
