#include "classify/local/shared_out.h"

namespace clade {

void share_out(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight, SharedOut& result) {
  const bool is_single = std::ssize(table.columns) == table.samples();
  result.rows = is_single ? &rows : &result.own_rows;
  if (!is_single) result.own_rows.features = rows.features;
  for (Index r = 0; r < table.samples(); ++r) {
    const auto children = table.labels(r);
    const double share =
        (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]) / static_cast<double>(children.size());
    for (const std::int32_t child : children) {
      result.label.push_back(child);
      result.weight.push_back(share);
      if (!is_single) result.own_rows.append(rows, r);
    }
  }
}

}  // namespace clade
