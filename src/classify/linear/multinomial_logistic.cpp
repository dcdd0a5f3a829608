#include "classify/linear/multinomial_logistic.h"

#include "classify/linear/linear_objective.h"
#include "classify/linear/softmax_newton.h"
#include "core/check.h"
#include "math/lbfgs.h"

namespace clade {
namespace {

// The way through the rows needs memory for rows, the other for weights and their history. Mostly full data has fewer
// columns than rows, and is multiplied by dense algebra.
bool takes_newton_steps(const TrainingRows& rows, const LinearObjective& objective) {
  constexpr Index kFewNumbers = Index{4} << 20;
  constexpr Index kRowsPerColumn = 4;
  if (objective.is_dense()) return false;
  return rows.rows() * objective.stride() <= kFewNumbers || rows.rows() <= kRowsPerColumn * rows.width();
}

}  // namespace

LogisticResult multinomial_logistic(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                    std::span<const double> weight, const LogisticOptions& options, Context& ctx) {
  CLADE_CHECK(std::ssize(label) == rows.rows());
  const SingleClasses labels(label);
  const SoftmaxLoss loss(labels.classes(), classes, weight, options.c);
  LinearObjective objective(rows, loss, classes, {.has_bias = options.has_bias}, ctx);
  Vector x = Vector::Zero(objective.size());
  int steps = 0;
  double first = 0;
  if (takes_newton_steps(rows, objective)) {
    const SoftmaxPoint point = softmax_newton(rows, label, classes, weight,
                                              {.c = options.c,
                                               .has_bias = options.has_bias,
                                               .tolerance = options.tolerance,
                                               .iterations = options.iterations},
                                              ctx);
    first = point.first_gradient;
    steps = point.iterations;
    objective.combine(point.coefficients.span(), x);
    if (options.has_bias) std::copy(point.bias.begin(), point.bias.end(), x.data() + rows.width() * objective.stride());
  } else {
    Vector gradient(objective.size());
    objective(x, gradient);
    first = gradient.size() == 0 ? 0 : gradient.lpNorm<Eigen::Infinity>();
  }
  const LbfgsResult found =
      lbfgs([&](const Vector& at, Vector& g) { return objective(at, g); }, x, objective.inverse_curvature(),
            {.tolerance = options.tolerance * first, .iterations = options.iterations - steps}, ctx);
  LogisticResult result;
  result.weights = linear_weights(x, classes, rows.width(), options.has_bias);
  result.objective = found.objective;
  result.gradient = found.gradient;
  result.iterations = steps + found.iterations;
  result.has_converged = found.has_converged;
  return result;
}

}  // namespace clade
