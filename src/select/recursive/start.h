#pragma once

#include <cstdint>
#include <vector>

#include "select/recursive/method.h"

namespace clade {

// The order in which the nodes of a problem are solved: topological, the root first; as published, the root, then the
// others in the order in which the input first names them as somebody's parent.
std::vector<std::size_t> solving_order(const Problem& problem, bool as_published);

// Weights to begin with: all ones, or numbers from (0, 1) by minstd_rand0 and `seed`, matrix by matrix, column by
// column. Matrices are drawn in the solving order, the root's last, or first with `root_first`.
Weights make_start(const Problem& problem, Start start, std::uint64_t seed, const std::vector<std::size_t>& order,
                   bool root_first);

}  // namespace clade
