#include "classify/linear/hinge_dual.h"

#include "classify/linear/hinge_descent.h"

namespace clade {

HingeResult hinge_dual(const TrainingRows& rows, std::span<const std::int8_t> sign, std::span<const double> weight,
                       std::span<const double> start, const HingeOptions& options, Context& ctx) {
  const std::vector<double> squares = squared_lengths(rows);
  HingeDescent descent(rows, squares, options);
  for (Index r = 0; r < rows.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    descent.join(r, sign[at], weight.empty() ? 1 : weight[at], start.empty() ? 0 : start[at]);
  }
  const int passes = descent.solve(options.tolerance, options.iterations, ctx);
  HingeResult result = std::move(descent).result();
  result.iterations = passes;
  return result;
}

}  // namespace clade
