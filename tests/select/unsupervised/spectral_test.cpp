#include "math/decompositions.h"
#include "select/unsupervised/lars.h"
#include "select/unsupervised/spectral_embedding.h"
#include "select/unsupervised/unsupervised_support.h"

namespace clade {
namespace {

using namespace clade::testing;

// L v = value D v, with vectors of length 1 in the norm of D.
SymmetricEigen generalized_eigen(const NaiveMatrix& l, const NaiveVector& degrees) {
  const NaiveVector root = degrees.cwiseSqrt().cwiseInverse();
  SymmetricEigen result = symmetric_eigen(root.asDiagonal() * l * root.asDiagonal());
  result.vectors = root.asDiagonal() * result.vectors;
  return result;
}

NeighbourGraph graph_of(const NaiveMatrix& x, Context& ctx) {
  return link_neighbours(nearest_neighbours(dataset_of(x), 5, ctx), std::numeric_limits<double>::quiet_NaN());
}

TEST(SpectralEmbedding, IsThatOfTheDenseProblem) {
  Context ctx;
  for (const Index samples : {40, 450}) {  // full decomposition, Lanczos
    const NeighbourGraph graph = graph_of(random_values(samples, 3, 2), ctx);
    ASSERT_EQ(graph.components, 1);
    const NaiveMatrix s = NaiveMatrix(graph.weights);
    const NaiveMatrix d = graph.degrees.asDiagonal();
    const SymmetricEigen dense = generalized_eigen(d - s, graph.degrees);
    const SpectralEmbedding found = spectral_embedding(graph, 6, ctx);
    for (Index k = 0; k < 6; ++k) {
      EXPECT_NEAR(found.values[k], dense.values[k + 1], 1e-10);
      NaiveVector expected = dense.vectors.col(k + 1);
      Index largest = 0;
      expected.cwiseAbs().maxCoeff(&largest);
      if (expected[largest] < 0) expected *= -1;
      expect_near(found.vectors.col(k), expected, 1e-8);
    }
  }
}

TEST(SpectralEmbedding, OfAGraphInPartsTellsThePartsApartFirst) {
  Context ctx;
  for (const Index samples : {60, 600}) {
    NaiveMatrix x = random_values(samples, 2, 4);
    for (Index s = 0; s < samples; ++s) x(s, 0) += s < samples / 2 ? 0 : s % 3 == 0 ? 1e4 : -1e4;
    const NeighbourGraph graph = graph_of(x, ctx);
    ASSERT_EQ(graph.components, 3);
    const SpectralEmbedding found = spectral_embedding(graph, 5, ctx);
    const NaiveMatrix d = graph.degrees.asDiagonal();
    const NaiveMatrix l = d - NaiveMatrix(graph.weights);
    expect_near(found.vectors.transpose() * d * found.vectors, NaiveMatrix::Identity(5, 5), 1e-9);
    EXPECT_LE((NaiveVector::Ones(samples).transpose() * d * found.vectors).norm(), 1e-8);
    EXPECT_LE((l * found.vectors - d * found.vectors * found.values.asDiagonal()).norm(), 1e-8);
    EXPECT_EQ(found.values[0], 0);
    EXPECT_EQ(found.values[1], 0);
    EXPECT_GT(found.values[2], 1e-6);
    const SymmetricEigen dense = generalized_eigen(l, graph.degrees);
    for (Index k = 2; k < 5; ++k) EXPECT_NEAR(found.values[k], dense.values[k + 1], 1e-9);
    for (Index k = 0; k < 2; ++k) {
      for (Index s = 1; s < samples; ++s) {
        if (graph.component[static_cast<std::size_t>(s)] != graph.component[0]) continue;
        EXPECT_NEAR(found.vectors(s, k), found.vectors(0, k), 1e-12);
      }
    }
  }
}

TEST(SpectralEmbedding, ThereMayBeMorePartsThanVectors) {
  Context ctx;
  NaiveMatrix x = random_values(80, 2, 4);
  for (Index s = 0; s < 80; ++s) x(s, 0) += 1e4 * static_cast<double>(s % 8);
  const NeighbourGraph graph = graph_of(x, ctx);
  ASSERT_EQ(graph.components, 8);
  const SpectralEmbedding found = spectral_embedding(graph, 3, ctx);
  EXPECT_EQ(found.values, NaiveVector::Zero(3));
  expect_near(found.vectors.transpose() * graph.degrees.asDiagonal() * found.vectors, NaiveMatrix::Identity(3, 3),
              1e-12);
}

// The conditions of a minimum of 1/2 ||y - X a||^2 + lambda ||a||_1, and another feature at the point of entering.
TEST(Lars, ReturnsAPointOfTheLassoPath) {
  Context ctx;
  for (const bool sparse : {false, true}) {
    for (const Index nonzeros : {1, 3, 10, 24}) {
      NaiveMatrix x = random_values(25, 60, 11);
      if (sparse) x = (random_values(25, 60, 12).array() > 0.5).select(x, 0);
      x.col(7) = x.col(3);                   // a copy
      x.col(9) = x.col(1) - 2 * x.col(2);    // spanned by others
      x.col(5).setConstant(sparse ? 0 : 4);  // constant
      const NaiveVector y = random_values(25, 1, 13 + static_cast<std::uint64_t>(nonzeros));
      const NaiveVector a = lasso_by_lars(CentredColumns(dataset_of(x, sparse)), y, nonzeros, ctx);
      const NaiveMatrix centred = x.rowwise() - x.colwise().mean();
      const NaiveVector correlation = centred.transpose() * ((y.array() - y.mean()).matrix() - centred * a);
      const double lambda = correlation.cwiseAbs().maxCoeff();
      EXPECT_EQ((a.array() != 0).count(), nonzeros);
      EXPECT_EQ(a[5], 0);
      Index at_lambda = 0;
      for (Index f = 0; f < 60; ++f) {
        if (a[f] != 0) {
          EXPECT_NEAR(correlation[f], a[f] > 0 ? lambda : -lambda, 1e-9);
        } else if (f != 3 && f != 7 && std::abs(std::abs(correlation[f]) - lambda) < 1e-9) {
          ++at_lambda;
        }
      }
      EXPECT_GE(at_lambda, nonzeros == 24 ? 0 : 1);
      EXPECT_LE(lambda, nonzeros == 24 ? 1e-9 : 1e9);  // all that 25 samples about their mean can hold
    }
  }
}

}  // namespace
}  // namespace clade
