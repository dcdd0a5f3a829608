#include "math/symmetric_inverse.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "plain_inverse.h"

namespace clade {
namespace {

Matrix random_positive(Index n, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 71});
  Matrix x(n, n + 3);
  for (double& value : x.reshaped()) value = random.normal();
  return x * x.transpose() + Matrix::Identity(n, n);
}

TEST(SymmetricInverse, IsThatOfElimination) {
  Context ctx({.threads = 2});
  for (const Index n : {1, 2, 17, 256, 257, 520}) {
    const Matrix a = random_positive(n, 3);
    Matrix inverse = a;
    inverse.triangularView<Eigen::StrictlyUpper>().setConstant(99);  // never read
    ASSERT_TRUE(invert_symmetric(inverse, ctx));
    const Matrix expected = testing::plain_inverse(a);
    EXPECT_LE((inverse - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff()) << n;
    EXPECT_EQ(inverse, Matrix(inverse.transpose()));
  }
}

TEST(SymmetricInverse, DoesNotDependOnThreads) {
  Matrix one = random_positive(900, 4);
  Matrix four = one;
  Context single({.threads = 1});
  Context several({.threads = 4});
  ASSERT_TRUE(invert_symmetric(one, single));
  ASSERT_TRUE(invert_symmetric(four, several));
  EXPECT_EQ(one, four);
}

TEST(SymmetricInverse, RefusesWhatIsNotPositiveDefinite) {
  Context ctx;
  Matrix a = -Matrix::Identity(3, 3);
  EXPECT_FALSE(invert_symmetric(a, ctx));
}

}  // namespace
}  // namespace clade
