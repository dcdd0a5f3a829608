#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/diagnose.h>

#include <vector>

#include "induce/taxonomy_learner.h"
#include "math/dense.h"

namespace clade {

// Cosines of the centroids of all classes: of dense data after the mean of the centroids is taken off, of sparse data
// as they are. 0 for a centroid of zeros. Memory: classes² numbers.
Matrix centroid_cosines(const Dataset& data, const ClassSamples& classes, Context& ctx);

// Are near classes alike? With more than kMostFitClasses, of that many drawn at random. Throws Error (kInput) for
// values that are too large.
constexpr Index kMostFitClasses = 1500;
CentroidFit centroid_fit(const Dataset& data, Index permutations, Context& ctx);

}  // namespace clade
