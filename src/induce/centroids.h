#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "induce/taxonomy_learner.h"
#include "math/dense.h"

namespace clade {

// The mean of the samples of every class,
//
//   c_k = sum over samples x of class k of x / number of them          (Cai, thesis, Algorithm 8, line 1)
//
// in two parts: features that many classes have, as one dense block, so that inner products are matrix products; and
// the others as sparse rows, so that text stays small. Every feature is in one of the two. The block is moved so that
// its mean over the classes is 0: distances between centroids stay what they are, and lose fewer digits.
struct Centroids {
  Matrix block;               // common features x classes, column-major
  SparseMatrix<double> rest;  // classes x features

  Index classes() const { return block.cols(); }
};

// With `unit`, every sample is brought to length 1 first; a sample of zeros stays. Cost: O(values of the samples), with
// several labels once for each.
Centroids class_centroids(const Dataset& data, const ClassSamples& classes, bool unit, Context& ctx);

// Bytes that class_centroids() takes at most.
double centroid_bytes(const Dataset& data, const ClassSamples& classes);

}  // namespace clade
