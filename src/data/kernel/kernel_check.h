#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "data/kernel/kernel.h"

namespace clade {

// Throws Error (kInput) unless the data set suits the kernel: the subsequence kernel needs sequences, and sequences
// need it or a precomputed kernel.
void check_kernel_fits(KernelKind kind, const Dataset& data);

// Is the whole matrix behind a data set (or a view of it) a kernel: as many columns as samples, symmetric, nothing
// negative on the diagonal, no negative eigenvalue? Equality and signs are judged to a millionth of the largest value.
// Eigenvalues are computed for up to kEigenvalueSamples samples; beyond that a note says that they were not.
inline constexpr Index kEigenvalueSamples = 1000;
void check_precomputed(const Dataset& data, std::vector<std::string>& notes, Context& ctx);

// New samples of a precomputed kernel must have a value for every training sample.
void check_precomputed_columns(const Dataset& data, Index training_samples);

}  // namespace clade
