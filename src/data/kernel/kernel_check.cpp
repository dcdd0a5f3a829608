#include "data/kernel/kernel_check.h"

#include <clade/error.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "math/decompositions.h"

namespace clade {
namespace {

constexpr double kTolerance = 1e-6;
constexpr Index kRowsPerTask = 64;
constexpr Index kColumnsAtATime = 64;

double value_at(const FeatureMatrix& matrix, Index r, Index c) {
  return std::visit(
      [&](const auto& m) -> double {
        if constexpr (requires { m.indices; }) {
          const auto columns = m.row_indices(r);
          const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<FeatureIndex>(c));
          if (found == columns.end() || *found != c) return 0;
          return static_cast<double>(m.row_values(r)[static_cast<std::size_t>(found - columns.begin())]);
        } else {
          return static_cast<double>(m.row(r)[static_cast<std::size_t>(c)]);
        }
      },
      matrix);
}

// The first row, if any, that has a value before the diagonal different from its mirror image.
Index first_asymmetric(const FeatureMatrix& matrix, double tolerance, Context& ctx) {
  const Index n = row_count(matrix);
  return parallel_reduce(
      ctx, n, kRowsPerTask, n,
      [&](Index begin, Index end) {
        Index first = n;
        for (Index block = 0; block < end; block += kColumnsAtATime) {
          for (Index r = begin; r < end; ++r) {
            for (Index c = block; c < std::min(r, block + kColumnsAtATime); ++c) {
              // Negated, so that NaN counts as a difference.
              if (!(std::abs(value_at(matrix, r, c) - value_at(matrix, c, r)) <= tolerance)) first = std::min(first, r);
            }
          }
        }
        return first;
      },
      [](Index& total, Index part) { total = std::min(total, part); });
}

void check_eigenvalues(const FeatureMatrix& matrix) {
  const Index n = row_count(matrix);
  Matrix k(n, n);
  for (Index c = 0; c < n; ++c) {
    for (Index r = c; r < n; ++r) k(r, c) = value_at(matrix, r, c);
  }
  const Vector values = symmetric_eigenvalues(k);
  if (values(0) >= -kTolerance * std::max(values(n - 1), 0.0)) return;
  throw usage_error(fmt::format("the precomputed kernel has a negative eigenvalue, {:.4g}", values(0)),
                    "expected a positive semidefinite matrix");
}

}  // namespace

void check_kernel_fits(KernelKind kind, const Dataset& data) {
  if (kind == KernelKind::kPrecomputed) return;
  const bool has_sequences = holds_sequences(data);
  if (kind == KernelKind::kSubsequence && !has_sequences) {
    throw usage_error("the subsequence kernel compares sequences, and the data are none",
                      "expected FASTA, or text read with `sequences`");
  }
  if (kind != KernelKind::kSubsequence && has_sequences) {
    throw usage_error("the data are sequences, which are no vectors", "expected `kernel` subsequence");
  }
}

void check_precomputed(const Dataset& data, std::vector<std::string>& notes, Context& ctx) {
  const FeatureMatrix& matrix = data.matrix();
  const Index n = row_count(matrix);
  if (column_count(matrix) != n) {
    throw usage_error(fmt::format("a precomputed kernel of {} samples with {} columns", n, column_count(matrix)),
                      "expected a column for every sample");
  }
  double largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(value_at(matrix, i, i)));
  for (Index i = 0; i < n; ++i) {
    const double value = value_at(matrix, i, i);
    if (value >= -kTolerance * largest) continue;
    throw usage_error(fmt::format("the precomputed kernel of sample {} with itself is {:.4g}", i, value),
                      "expected no negative value on the diagonal");
  }
  const Index row = first_asymmetric(matrix, kTolerance * largest, ctx);
  if (row < n) {
    throw usage_error(fmt::format("the precomputed kernel is not symmetric: row {} is not column {}", row, row),
                      "expected k(a, b) = k(b, a)");
  }
  if (n > kEigenvalueSamples) {
    notes.push_back(fmt::format("whether the kernel is positive semidefinite was not checked (more than {} samples)",
                                kEigenvalueSamples));
  } else if (n > 0) {
    check_eigenvalues(matrix);
  }
}

void check_precomputed_columns(const Dataset& data, Index training_samples) {
  if (data.features() == training_samples) return;
  throw usage_error(fmt::format("a precomputed kernel with {} columns", data.features()),
                    fmt::format("expected one for each of the {} training samples", training_samples));
}

}  // namespace clade
