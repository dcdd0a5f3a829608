#pragma once

#include <clade/context.h>

#include "select/recursive/problem.h"
#include "select/recursive/system.h"

namespace clade {

// X W of a node.
Matrix fitted_values(const Problem& problem, std::size_t i, const Matrix& w);

// X' V of a node: the samples' rows, each weighted by a row of V, added up.
Matrix weighted_sums(const Problem& problem, std::size_t i, const Matrix& weights);

// The largest of the round(share x n) smallest values, of which there is at least one. Requires at least one value.
double smallest_share(Vector values, double share);

// Replaces the node's data in `terms` by rows weighted with `weights` and targets `targets`: X'FX and X'FZ. With
// `centre`, rows and targets are first shifted by their weighted means, which is equivalent to an intercept without
// penalty.
void weight_rows(const Problem& problem, std::size_t i, const Vector& weights, const Matrix& targets, bool centre,
                 SystemTerms& terms, Context& ctx);

}  // namespace clade
