#pragma once

#include <span>
#include <vector>

#include "classify/linear/training_rows.h"
#include "data/node_table.h"

namespace clade {

// For methods that want one child per row: a row of several children comes once for each, its weight divided.
struct SharedOut {
  TrainingRows own_rows;  // only where some row has several
  const TrainingRows* rows = nullptr;
  std::vector<std::int32_t> label;
  std::vector<double> weight;
};
void share_out(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight, SharedOut& result);

}  // namespace clade
