#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "induce/taxonomy_learner.h"
#include "math/dense.h"

namespace clade {

// The mean of the samples of each class,
//
//   c_k = sum over samples x of class k of x / number of them          (Cai, thesis, Algorithm 8, line 1)
//
// in two parts: features that many classes have form one dense block, so that inner products are matrix products; the
// others are sparse rows, so that text stays small. Every feature is in one of the two. The block is usually shifted to
// have mean 0 over the classes: that does not change distances between centroids, and they lose fewer digits.
struct Centroids {
  Matrix block;               // common features x classes, column-major
  SparseMatrix<double> rest;  // classes x features

  Index classes() const { return block.cols(); }
};

enum class Shift { kNo, kToMeanZero };  // of the block

// With `unit`, every sample is first scaled to length 1; a sample of zeros stays as it is. Cost: O(values of the
// samples); a sample with several labels counts once for each.
Centroids class_centroids(const Dataset& data, const ClassSamples& classes, bool unit, Context& ctx,
                          Shift shift = Shift::kToMeanZero);

// The most bytes that class_centroids() takes.
double centroid_bytes(const Dataset& data, const ClassSamples& classes);

}  // namespace clade
