#include "induce/class_distances.h"

#include <clade/error.h>
#include <fmt/format.h>

#include "core/memory_size.h"
#include "data/kernel/kernel_check.h"
#include "induce/centroids.h"
#include "induce/distances.h"

namespace clade {

CondensedDistances class_distances(const LearnInput& input, const KernelOptions& kernel, Context& ctx) {
  if (kernel.kind != KernelKind::kLinear) {
    return euclidean_distances(*kernel_gram(input.data, input.classes, kernel, input.unit, ctx), ctx);
  }
  check_kernel_fits(KernelKind::kLinear, input.data);
  const Centroids centroids = class_centroids(input.data, input.classes, input.unit, ctx);
  return euclidean_distances(*linear_gram(centroids, ctx), ctx);
}

double require_distance_memory(const LearnInput& input, Context& ctx) {
  constexpr double kTiles = 2 * 0x1p20;  // bytes per thread: a tile of inner products and its operands
  constexpr double kWorthSaying = 100 * 0x1p20;
  const auto q = static_cast<double>(input.classes.size());
  const double distances = q * (q - 1) / 2 * sizeof(double);
  const double other = centroid_bytes(input.data, input.classes) + kTiles * ctx.threads();
  const double total = distances + other;
  if (total > kWorthSaying) ctx.info(fmt::format("memory: about {} beside the data", bytes_text(total)));
  if (input.memory > 0 && total > input.memory) {
    throw usage_error(fmt::format("clustering {} classes needs about {} of memory and may use {}", input.classes.size(),
                                  bytes_text(total), bytes_text(input.memory)),
                      "expected fewer classes, or a larger `memory`");
  }
  return total;
}

}  // namespace clade
