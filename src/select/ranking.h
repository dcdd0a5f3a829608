#pragma once

#include <clade/select.h>

#include <span>
#include <vector>

#include "data/node_table.h"

namespace clade {

// Features by weight, largest first, ties to the smaller index. A weight that is not a number comes last.
NodeRanking rank_features(const NodeTable& table, std::span<const double> weights);

// The same, but features of equal weight are ordered by `second`, largest first.
NodeRanking rank_features(const NodeTable& table, std::span<const double> weights, std::span<const double> second);

}  // namespace clade
