#include "classify/linear/multinomial_logistic.h"

#include "classify/linear/softmax_newton.h"
#include "classify/linear/softmax_objective.h"
#include "math/lbfgs.h"

namespace clade {
namespace {

LinearWeights unpacked(const Vector& x, Index stride, Index classes, Index width, bool has_bias) {
  LinearWeights weights;
  weights.bias.assign(static_cast<std::size_t>(classes), 0.0);
  for (Index m = 0; m < classes; ++m) {
    std::vector<double>& w = weights.w.emplace_back(static_cast<std::size_t>(width));
    for (Index c = 0; c < width; ++c) w[static_cast<std::size_t>(c)] = x(c * stride + m);
    if (has_bias) weights.bias[static_cast<std::size_t>(m)] = x(width * stride + m);
  }
  return weights;
}

// The way through the rows needs memory for rows, the other for weights and their history. Mostly full data has fewer
// columns than rows, and is multiplied by dense algebra.
bool takes_newton_steps(const TrainingRows& rows, const SoftmaxObjective& objective) {
  constexpr Index kFewNumbers = Index{4} << 20;
  constexpr Index kRowsPerColumn = 4;
  if (objective.is_dense()) return false;
  return rows.rows() * objective.stride() <= kFewNumbers || rows.rows() <= kRowsPerColumn * rows.width();
}

}  // namespace

LogisticResult multinomial_logistic(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                    std::span<const double> weight, const LogisticOptions& options, Context& ctx) {
  SoftmaxObjective objective(rows, label, classes, weight, {.c = options.c, .has_bias = options.has_bias}, ctx);
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
  result.weights = unpacked(x, objective.stride(), classes, rows.width(), options.has_bias);
  result.objective = found.objective;
  result.gradient = found.gradient;
  result.iterations = steps + found.iterations;
  result.has_converged = found.has_converged;
  return result;
}

}  // namespace clade
