#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "data/kernel/kernel.h"

namespace clade {

// Does a data set suit a kernel? Throws Error (kInput): the subsequence kernel takes sequences, and sequences take no
// other kernel than it or a precomputed one.
void check_kernel_fits(KernelKind kind, const Dataset& data);

// Is the whole matrix behind a data set (or a view of it) a kernel: as many columns as samples, symmetric, nothing
// negative on the diagonal, no negative eigenvalue? Equality and signs are judged to a millionth of the largest value.
// Eigenvalues are computed for up to kEigenvalueSamples samples; notes say so where they are not.
inline constexpr Index kEigenvalueSamples = 1000;
void check_precomputed(const Dataset& data, std::vector<std::string>& notes, Context& ctx);

// New samples of a precomputed kernel have a value for every training sample.
void check_precomputed_columns(const Dataset& data, Index training_samples);

}  // namespace clade
