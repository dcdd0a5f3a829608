#include "select/recursive/memory_plan.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/memory_size.h"
#include "select/recursive/kept_factors.h"
#include "select/recursive/problem.h"

namespace clade {
namespace {

constexpr double kDouble = sizeof(double);

}  // namespace

MemoryPlan plan_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs) {
  MemoryPlan plan;
  const auto p = static_cast<double>(needs.features);
  const double square = p * p * kDouble;
  const auto nodes = static_cast<double>(tables.size());
  Index width = 0;
  double tall = 0;
  double own_tall = 0;
  double largest_wide = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const NodeTable& table = tables[i];
    const bool is_own = needs.owners.is_own(i);
    width = std::max(width, table.classes());
    const auto n = static_cast<double>(table.samples());
    if (is_cheaper_by_features(table.samples(), needs.features)) {
      tall += square;
      own_tall += is_own ? square : 0;
    } else if (is_own) {
      // The terms of a sparse node's matrix are kept, unless they are too many.
      plan.grams += needs.is_sparse ? std::min(KeptFactors::kMost * kDouble / nodes, n * n * WeightedSquare::kTerm)
                                    : n * p * kDouble;
      largest_wide = std::max(largest_wide, (n * n + (needs.is_sparse ? 0 : n * p)) * kDouble);
    }
  }
  plan.terms = ((needs.kept.one_per_node ? nodes : 0) + static_cast<double>(needs.kept.others)) * square;
  const double at_once = std::min(static_cast<double>(needs.threads), nodes);
  plan.grams += own_tall;
  plan.work = at_once * std::max(tall > 0 || needs.kept.one_per_node ? 2 * square : 0, 2 * largest_wide);
  if (tall <= KeptFactors::kMost * kDouble) plan.work = std::max(plan.work, own_tall);
  plan.weights = 4 * nodes * p * static_cast<double>(width) * kDouble;
  return plan;
}

void require_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs, double limit) {
  const double total = plan_memory(tables, needs).total();
  if (total <= limit) return;
  Index fits = 0;
  for (Index step = needs.features; step > 0; step /= 2) {
    MemoryNeeds fewer = needs;
    fewer.features = fits + step;
    if (plan_memory(tables, fewer).total() <= limit) fits += step;
  }
  throw usage_error(
      fmt::format("selection needs about {} of memory and may use {}", bytes_text(total), bytes_text(limit)),
      fmt::format(
          "expected {}a larger `memory`{}", fits > 0 ? fmt::format("fewer features, {} or so, or ", fits) : "",
          needs.kept.needing_less.empty() ? "" : fmt::format(", or {}, which needs less", needs.kept.needing_less)));
}

}  // namespace clade
