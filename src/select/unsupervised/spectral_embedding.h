#pragma once

#include "select/unsupervised/neighbour_graph.h"

namespace clade {

struct SpectralEmbedding {
  Matrix vectors;  // a row per sample, a column per eigenvector
  Vector values;   // ascending
};

// The smoothest functions on a neighbour graph: eigenvectors of
//
//   (D - S) y = lambda D y,      y'D y = 1
//
// for the `count` smallest lambda, without the constant one (lambda = 0). In each, the largest entry in absolute value
// is positive; of entries that are equal except for rounding, the first.
//
// A graph with C components has C - 1 further eigenvectors with lambda = 0, constant on every component. They are known
// without computation, and come in a fixed basis: the second largest component against the largest, the third against
// both, and so on (of equally large components, the one with the lowest sample first). The others are computed by
// Lanczos iterations from a fixed start, or by a full decomposition if there are few samples. O(links x iterations)
// time.
//
// `count` must be less than the number of samples. Throws Error (kInput) if the iterations do not converge.
SpectralEmbedding spectral_embedding(const NeighbourGraph& graph, Index count, Context& ctx);

}  // namespace clade
