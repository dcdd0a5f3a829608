#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <memory>

#include "data/kernel/kernel.h"
#include "induce/centroid_gram.h"
#include "induce/class_samples.h"

namespace clade {

// Inner products of centroids in the space of a kernel: <c_k, c_l> is the mean of k(x, y) over the samples x of class k
// and y of class l. O(samples^2) kernel values; memory for classes^2 numbers. Throws Error (kInput) where the kernel
// does not fit the data.
std::unique_ptr<CentroidGram> kernel_gram(const Dataset& data, const ClassSamples& classes,
                                          const KernelOptions& options, bool unit, Context& ctx);

}  // namespace clade
