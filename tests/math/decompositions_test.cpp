#include "math/decompositions.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace clade {
namespace {

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 31});
  Matrix a(rows, columns);
  for (double& value : a.reshaped()) value = random.normal();
  return a;
}

Matrix random_symmetric(Index size, std::uint64_t seed) {
  const Matrix a = random_matrix(size, size, seed);
  return a + a.transpose();
}

constexpr Index kSizes[] = {1, 2, 7, 40};

TEST(Decompositions, EigenvectorsAreWhatTheMatrixScales) {
  for (const Index size : kSizes) {
    const Matrix a = random_symmetric(size, 1);
    const SymmetricEigen found = symmetric_eigen(a);
    EXPECT_LT((a * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-12 * a.norm());
    EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(size, size)).norm(), 1e-12);
    EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
    Matrix lower = a;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(7);
    EXPECT_LT((symmetric_eigenvalues(lower) - found.values).norm(), 1e-12 * a.norm());
  }
}

TEST(Decompositions, LanczosFindsTheLargestByProductsAlone) {
  const Matrix a = random_symmetric(60, 2);
  const SymmetricOperator by_products{60, [&](const Vector& x, Vector& y) { y = a * x; }};
  const auto found = largest_eigen(by_products, 3, random_matrix(60, 1, 3), {.basis = 26});
  ASSERT_TRUE(found);
  EXPECT_LT((found->values - symmetric_eigenvalues(a).tail(3).reverse()).norm(), 1e-10 * a.norm());
  EXPECT_LT((a * found->vectors - found->vectors * found->values.asDiagonal()).norm(), 1e-10 * a.norm());
  EXPECT_FALSE(largest_eigen(by_products, 3, random_matrix(60, 1, 3), {.basis = 4, .restarts = 1}));
}

TEST(Decompositions, LuSolvesIndefiniteSystems) {
  for (const Index size : kSizes) {
    const Matrix a = random_symmetric(size, 4);
    const Matrix b = random_matrix(size, 3, 5);
    Matrix used = a;
    Matrix x = b;
    solve_by_lu(used, x);
    EXPECT_LT((a * x - b).norm(), 1e-10 * a.norm() * x.norm());
  }
}

TEST(Decompositions, CholeskyFactorGivesTheMatrixBack) {
  for (const Index size : kSizes) {
    const Matrix a = random_matrix(size, size, 6);
    const Matrix square = a * a.transpose() + Matrix::Identity(size, size);
    const Matrix l = cholesky_factor(square);
    EXPECT_LT((l * l.transpose() - square).norm(), 1e-12 * square.norm());
    EXPECT_TRUE(l.isLowerTriangular(0));
  }
}

TEST(Decompositions, NearestOrthonormalIsOrthonormalAndNearest) {
  for (const Index rank : {0, 2, 5}) {
    const Matrix a = random_matrix(30, rank, 7) * random_matrix(rank, 5, 8);
    const Matrix u = nearest_orthonormal(a);
    EXPECT_LT((u.transpose() * u - Matrix::Identity(5, 5)).norm(), 1e-12) << rank;
    // Nearest where U'A is symmetric and positive semidefinite: its trace is the sum of the singular values.
    const Matrix inner = u.transpose() * a;
    EXPECT_LT((inner - inner.transpose()).norm(), 1e-10 * (1 + a.norm())) << rank;
    EXPECT_GT(symmetric_eigenvalues(inner)(0), -1e-10 * (1 + a.norm())) << rank;
  }
}

}  // namespace
}  // namespace clade
