#include "math/symmetric_inverse.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kWhole = 256;
constexpr Index kTile = 256;

int as_int(Index value) {
  return static_cast<int>(value);
}

// L becomes its inverse; zeros stand above its diagonal. Recursive: [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1].
void invert_lower(MatrixRef l, Context& ctx) {
  const Index n = l.rows();
  if (n <= kWhole) {
    Matrix transposed = Matrix::Identity(n, n);
    blas::solve_right(as_int(n), as_int(n), l.data(), as_int(l.outerStride()), transposed.data(), as_int(n));
    l = transposed.transpose();
    return;
  }
  const Index first = n / 2;
  auto a = l.topLeftCorner(first, first);
  auto c = l.bottomRightCorner(n - first, n - first);
  auto b = l.bottomLeftCorner(n - first, first);
  invert_lower(a, ctx);
  invert_lower(c, ctx);
  Matrix product = Matrix::Zero(n - first, first);
  add_product(c, b, product, ctx);
  b.setZero();
  product = -product;
  add_product(product, a, b, ctx);
}

}  // namespace

bool invert_symmetric(Matrix& a, Context& ctx) {
  if (!cholesky(a, ctx)) return false;
  a.triangularView<Eigen::StrictlyUpper>().setZero();
  invert_lower(a, ctx);
  // A^-1 = L^-1' L^-1, tile by tile; the columns of L^-1 are zero above the diagonal.
  const Index n = a.rows();
  const Index tiles = chunk_count(n, kTile);
  std::vector<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < tiles; ++i) {
    for (Index j = 0; j <= i; ++j) pairs.emplace_back(i, j);
  }
  Matrix inverse(n, n);
  const int stride = as_int(n);
  parallel_for(ctx, std::ssize(pairs), 1, [&](Index number, Index) {
    const Index row = pairs[static_cast<std::size_t>(number)].first * kTile;
    const Index column = pairs[static_cast<std::size_t>(number)].second * kTile;
    const Index rows = std::min(kTile, n - row);
    const Index columns = std::min(kTile, n - column);
    blas::gemm(true, false, as_int(rows), as_int(columns), as_int(n - row), 1, a.data() + row + row * n, stride,
               a.data() + row + column * n, stride, 0, inverse.data() + row + column * n, stride);
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) inverse(column + j, row + i) = inverse(row + i, column + j);
    }
  });
  a.swap(inverse);
  return true;
}

}  // namespace clade
