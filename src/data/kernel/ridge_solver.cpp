#include "data/kernel/ridge_solver.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "data/kernel/kernel_rows.h"
#include "math/symmetric_inverse.h"

namespace clade {
namespace {

constexpr Index kColumnsPerTask = 16;

double similarity(RidgeKernel kernel, double width, double relative_square) {
  return std::exp(-width * (kernel == RidgeKernel::kExponential ? std::sqrt(relative_square) : relative_square));
}

}  // namespace

Matrix squared_distances(const KernelSamples& samples, Context& ctx) {
  const Index n = samples.size();
  Matrix squares = Matrix::Zero(n, n);
  Index nonzeros = 0;
  for (Index i = 0; i < n; ++i) nonzeros += std::ssize(samples.values_of(i));
  constexpr Index kFullShare = 4;
  if (nonzeros >= n * samples.width() / kFullShare) {
    Matrix dense = Matrix::Zero(samples.width(), n);
    for (Index i = 0; i < n; ++i) {
      const auto columns = samples.columns_of(i);
      const auto values = samples.values_of(i);
      for (std::size_t k = 0; k < columns.size(); ++k) dense(columns[k], i) = values[k];
    }
    add_inner_product(dense, squares, ctx);
  } else {
    constexpr Index kKeptBytes = Index{1} << 24;
    KernelRows products(samples, {.kind = KernelKind::kLinear}, kKeptBytes, ctx);
    for (Index j = 0; j < n; ++j) squares.col(j) = Eigen::Map<const Vector>(products.row(j), n);
  }
  const Vector own = squares.diagonal();
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index i = j; i < n; ++i) squares(i, j) = std::max(0.0, own(i) + own(j) - 2 * squares(i, j));
      squares(j, j) = 0;
    }
  });
  return squares;
}

double median_square(const Matrix& squares) {
  constexpr Index kEnough = 1'000'000;
  const Index n = squares.rows();
  const Index step = std::max<Index>(1, n * (n - 1) / 2 / kEnough);
  std::vector<double> values;
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i, ++at) {
      if (at % step == 0) values.push_back(squares(i, j));
    }
  }
  if (values.empty()) return 1;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle > 0 ? *middle : 1;
}

RidgeFit solve_ridge(RidgeProblem& problem, RidgeKernel kernel, double width, double penalty, bool keep_squares,
                     Context& ctx) {
  const Index n = problem.squares.rows();
  const auto columns = problem.labels.columns();
  Matrix inverse;
  if (keep_squares) {
    inverse = problem.squares;
  } else {
    inverse.swap(problem.squares);
  }
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index i = j; i < n; ++i) inverse(i, j) = similarity(kernel, width, inverse(i, j) / problem.median);
      const double mass = problem.weight.empty() ? 1 : problem.weight[static_cast<std::size_t>(j)];
      inverse(j, j) += penalty / mass;
    }
  });
  if (!invert_symmetric(inverse, ctx)) {
    throw usage_error("the kernel is not positive definite to the accuracy of a double", "expected a larger `penalty`");
  }
  // G Y - (G 1) mean'. The ones of Y are few.
  std::vector<std::vector<Index>> samples_of(static_cast<std::size_t>(columns));
  for (Index s = 0; s < n; ++s) {
    for (const std::int32_t c : problem.labels.members.of(s)) samples_of[static_cast<std::size_t>(c)].push_back(s);
  }
  const Vector sums = inverse.rowwise().sum();
  RidgeFit fit{Matrix(n, columns), Matrix(n, columns)};
  parallel_for(ctx, columns, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      auto coefficient = fit.coefficient.col(c);
      coefficient = -problem.labels.frequency[static_cast<std::size_t>(c)] * sums;
      for (const Index s : samples_of[static_cast<std::size_t>(c)]) coefficient += inverse.col(s);
      auto held_out = fit.held_out.col(c);
      held_out = -coefficient.cwiseQuotient(inverse.diagonal());
      for (const Index s : samples_of[static_cast<std::size_t>(c)]) held_out(s) += 1;
    }
  });
  return fit;
}

}  // namespace clade
