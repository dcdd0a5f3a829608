#pragma once

#include <clade/context.h>

#include <cstdint>
#include <vector>

#include "classify/linear/training_rows.h"
#include "data/node_table.h"

namespace clade {

// Orders the children of a node so that similar ones are neighbours: halves them `halvings` times, each time by
// balanced 2-means on the directions of the children's mean samples (Prabhu et al. 2018). Every half differs by at most
// one child from the other, so that part k after h halvings is known without asking: see halving_bounds().
//
// Large parts find their two centres from 4,096 of their children. O(non-zeros of the rows x labels per row x
// halvings). `rows` are those of the table. The order is the same for any number of threads.
std::vector<std::int32_t> order_by_similarity(const NodeTable& table, const TrainingRows& rows, int halvings,
                                              std::uint64_t seed, Context& ctx);

// Where the 2^halvings parts of `count` things begin, and the end of the last.
std::vector<std::int32_t> halving_bounds(std::int32_t count, int halvings);

}  // namespace clade
