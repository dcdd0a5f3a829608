#include "classify/linear/row_blocks.h"

#include <algorithm>

#include "classify/linear/row_sums.h"
#include "math/lbfgs.h"

namespace clade {
namespace {

// What one block adds. The objective refers to its loss.
struct Part {
  std::unique_ptr<RowLoss> loss;
  std::unique_ptr<LinearObjective> objective;
};

}  // namespace

Vector RowBlocks::sum(Index numbers, const std::function<void(const Block&, Vector&)>& add) const {
  const int first = sums.own().first;
  return sums.sum(numbers, [&](int block, Vector& sum) { add(own[static_cast<std::size_t>(block - first)], sum); });
}

RowBlocksResult minimise_over_blocks(
    const RowBlocks& blocks, Index classes,
    const std::function<std::unique_ptr<RowLoss>(const RowBlocks::Block& block)>& loss_of,
    const RowBlocksOptions& options, Context& ctx) {
  std::vector<Part> parts;
  const auto residuals = std::make_shared<Buffer<double>>();
  for (const RowBlocks::Block& block : blocks.own) {
    Part& part = parts.emplace_back(loss_of(block), nullptr);
    part.objective = std::make_unique<LinearObjective>(
        block.rows, *part.loss, classes, LinearObjectiveOptions{.has_bias = options.has_bias, .residuals = residuals},
        ctx);
  }
  const auto part_of = [&](const RowBlocks::Block& block) -> LinearObjective& {
    return *parts[static_cast<std::size_t>(&block - blocks.own.data())].objective;
  };
  const Index stride = padded_classes(classes);
  const auto width = static_cast<Index>(blocks.features.size());
  const Index penalised = width * stride;
  const Index size = penalised + (options.has_bias ? stride : 0);

  Vector losses(size);
  // The last number is the sum of the losses.
  const SmoothFunction objective = [&](const Vector& w, Vector& gradient) {
    const Vector sum = blocks.sum(size + 1, [&](const RowBlocks::Block& block, Vector& own) {
      losses.setZero();
      own(size) = part_of(block).add_losses(w, losses);
      own.head(size) = losses;
    });
    gradient = sum.head(size);
    gradient.head(penalised) += w.head(penalised);
    return w.head(penalised).squaredNorm() / 2 + sum(size);
  };
  Vector curvature =
      blocks.sum(width + 1, [&](const RowBlocks::Block& block, Vector& own) { part_of(block).add_curvature(own); });
  curvature.head(width).array() += 1;

  Vector x = Vector::Zero(size);
  Vector gradient(size);
  objective(x, gradient);
  const double first = size == 0 ? 0 : gradient.lpNorm<Eigen::Infinity>();
  const LbfgsResult found = lbfgs(objective, x, inverse_curvature(curvature, stride, options.has_bias),
                                  {.tolerance = options.tolerance * first, .iterations = options.iterations}, ctx);
  return {linear_weights(x, classes, width, options.has_bias), found.has_converged};
}

}  // namespace clade
