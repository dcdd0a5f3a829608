#include "math/symmetric_product.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kLanes = 8;     // columns of X that are multiplied together
constexpr Index kTogether = 4;  // columns of A
constexpr Index kRows = 512;    // of a tile of kTogether columns, which stays in the fastest memory
constexpr Index kPanel = 256;   // columns of A per task

using Lanes = Eigen::Array<double, kLanes, 1>;
// By row: the values of X, or of the product, in kLanes columns; groups of columns one after another.
using Rows = std::vector<Lanes>;

// Both products of one tile: what its rows get from X at its columns, and its columns (`own`) from X at its rows.
void multiply_tile(const double* const* a, const Lanes* x_rows, const Lanes* x_own, Index rows, Lanes* sums,
                   Lanes* own) {
  const double* const a0 = a[0];
  const double* const a1 = a[1];
  const double* const a2 = a[2];
  const double* const a3 = a[3];
  Lanes own0 = own[0];
  Lanes own1 = own[1];
  Lanes own2 = own[2];
  Lanes own3 = own[3];
  const Lanes x0 = x_own[0];
  const Lanes x1 = x_own[1];
  const Lanes x2 = x_own[2];
  const Lanes x3 = x_own[3];
  for (Index r = 0; r < rows; ++r) {
    const Lanes x = x_rows[r];
    own0 += a0[r] * x;
    own1 += a1[r] * x;
    own2 += a2[r] * x;
    own3 += a3[r] * x;
    sums[r] += a0[r] * x0 + a1[r] * x1 + a2[r] * x2 + a3[r] * x3;
  }
  own[0] = own0;
  own[1] = own1;
  own[2] = own2;
  own[3] = own3;
}

// Entry by entry: the triangle on the diagonal, and columns that are fewer than kTogether.
void multiply_corner(const ConstMatrixRef& lower, const Lanes* x, Index begin, Index end, Index last_row, Lanes* sums) {
  for (Index j = begin; j < end; ++j) {
    sums[j] += lower(j, j) * x[j];
    for (Index i = j + 1; i < last_row; ++i) {
      sums[i] += lower(i, j) * x[j];
      sums[j] += lower(i, j) * x[i];
    }
  }
}

// What columns [begin, end) of the triangle contribute to the product; `sums` begins at row `begin`.
void multiply_panel(const ConstMatrixRef& lower, const Rows& x, Index groups, Index begin, Index end, Rows& sums) {
  const Index n = lower.rows();
  for (Index j = begin; j < end; j += kTogether) {
    const Index last = std::min(end, j + kTogether);
    const bool is_whole = last - j == kTogether;
    const Index corner_rows = is_whole ? last : n;
    for (Index g = 0; g < groups; ++g) {
      multiply_corner(lower, x.data() + g * n, j, last, corner_rows, sums.data() + g * (n - begin) - begin);
    }
    for (Index row = corner_rows; row < n; row += kRows) {
      const Index rows = std::min(kRows, n - row);
      const double* columns[kTogether];
      for (Index k = 0; k < kTogether; ++k) columns[k] = lower.col(j + k).data() + row;
      for (Index g = 0; g < groups; ++g) {
        const Lanes* const own_x = x.data() + g * n;
        Lanes* const own_sums = sums.data() + g * (n - begin) - begin;
        multiply_tile(columns, own_x + row, own_x + j, rows, own_sums + row, own_sums + j);
      }
    }
  }
}

std::span<const Index> columns_of_group(std::span<const Index> used, Index group) {
  const auto first = static_cast<std::size_t>(group * kLanes);
  return used.subspan(first, std::min(static_cast<std::size_t>(kLanes), used.size() - first));
}

}  // namespace

Matrix symmetric_product(const ConstMatrixRef& lower, const Matrix& x, Context& ctx) {
  const Index n = lower.rows();
  std::vector<Index> used;  // the product with 0 is 0
  for (Index c = 0; c < x.cols(); ++c) {
    if (!x.col(c).isZero(0)) used.push_back(c);
  }
  const Index groups = chunk_count(std::ssize(used), kLanes);
  Rows rows(static_cast<std::size_t>(n * groups), Lanes::Zero());
  for (std::size_t k = 0; k < used.size(); ++k) {
    const auto place = static_cast<Index>(k);
    Lanes* const group = rows.data() + place / kLanes * n;
    for (Index i = 0; i < n; ++i) group[i](place % kLanes) = x(i, used[k]);
  }
  std::vector<Rows> parts(static_cast<std::size_t>(chunk_count(n, kPanel)));
  parallel_for(ctx, n, kPanel, [&](Index begin, Index end) {
    Rows& sums = parts[static_cast<std::size_t>(begin / kPanel)];
    sums.assign(static_cast<std::size_t>((n - begin) * groups), Lanes::Zero());
    multiply_panel(lower, rows, groups, begin, end, sums);
  });
  Matrix product = Matrix::Zero(n, x.cols());
  parallel_for(ctx, n, kPanel, [&](Index begin, Index end) {
    for (Index g = 0; g < groups; ++g) {
      const std::span<const Index> columns = columns_of_group(used, g);
      for (Index i = begin; i < end; ++i) {
        Lanes sum = Lanes::Zero();
        for (Index p = 0; p * kPanel <= i; ++p) {
          const Index first = p * kPanel;
          sum += parts[static_cast<std::size_t>(p)][static_cast<std::size_t>(g * (n - first) + i - first)];
        }
        for (std::size_t c = 0; c < columns.size(); ++c) product(i, columns[c]) = sum(static_cast<Index>(c));
      }
    }
  });
  return product;
}

}  // namespace clade
