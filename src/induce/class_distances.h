#pragma once

#include <clade/context.h>

#include "data/kernel/kernel.h"
#include "induce/linkage.h"
#include "induce/taxonomy_learner.h"

namespace clade {

// The distances between the centroids of all classes with samples, by the kernel.
CondensedDistances class_distances(const LearnInput& input, const KernelOptions& kernel, Context& ctx);

// The bytes that they and the centroids take. Announces them if they are many, and throws Error (kInput) if they are
// more than the input allows.
double require_distance_memory(const LearnInput& input, Context& ctx);

}  // namespace clade
