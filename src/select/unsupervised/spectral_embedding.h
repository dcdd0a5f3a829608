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
// for the `count` smallest lambda, without the constant one (lambda = 0). In each, the entry of largest size is
// positive; of entries that are equal but for rounding, the first.
//
// A graph in C parts has C - 1 further eigenvectors with lambda = 0, constant on every part. They are known without
// computing, and come in a fixed basis: the second largest part against the largest, the third against both, and so
// on (of equally large parts, the one with the lowest sample first). The others are computed by Lanczos iterations from
// a fixed start; by a full decomposition where there are few samples. O(links x iterations) time.
//
// `count` must be below the number of samples. Throws Error (kInput) if the iterations do not converge.
SpectralEmbedding spectral_embedding(const NeighbourGraph& graph, Index count, Context& ctx);

}  // namespace clade
