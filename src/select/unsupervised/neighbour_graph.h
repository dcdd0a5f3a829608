#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

#include <limits>
#include <string>
#include <vector>

#include "math/sparse.h"
#include "select/unsupervised/nearest_neighbours.h"

namespace clade {

struct GraphOptions {
  int neighbours = 5;
  // t of the heat kernel; NaN: the mean squared distance of the samples to their neighbours.
  double bandwidth = std::numeric_limits<double>::quiet_NaN();
};

template <class V>
void describe(V& v, GraphOptions& o) {
  v("neighbours", o.neighbours, at_least(1), "nearest samples that each sample is linked to");
  v("bandwidth", o.bandwidth, positive(),
    "t of the weights exp(-distance^2 / t); auto: the mean squared distance to the neighbours");
}

// Samples i and j are linked if one is among the nearest neighbours of the other, with weight
//
//   S_ij = max(exp(-||x_i - x_j||^2 / t), 1e-8)
//
// The lower bound keeps a sample that is far from all others linked to its nearest ones.
struct NeighbourGraph {
  SparseColumns weights;         // S: symmetric, nothing on the diagonal
  Vector degrees;                // d_i = sum_j S_ij, above 0
  double bandwidth = 0;          // t
  Index components = 1;          // connected components
  std::vector<Index> component;  // of every sample; numbered by their first sample
  Index copies = 0;              // samples equal to an earlier one
};

// Links nearest neighbours with weights; `bandwidth` is as in GraphOptions. If all distances are 0, t is 1.
NeighbourGraph link_neighbours(const NearestNeighbours& nearest, double bandwidth);

// Finds the neighbours and links them. `notes` gets what is unusual: fewer samples than that many neighbours need,
// copies, a graph in several components. Throws Error (kInput) if there are fewer than two samples or too little
// memory. `options.bandwidth` becomes the t that was used.
NeighbourGraph neighbour_graph(const Dataset& data, GraphOptions& options, double memory,
                               std::vector<std::string>& notes, Context& ctx);

// F (D - S) for F with a column per sample: times the Laplacian.
Matrix times_plain_laplacian(const Matrix& f, const NeighbourGraph& graph, Context& ctx);

// F (I - D^-1/2 S D^-1/2) for F with a column per sample: times the normalised Laplacian.
Matrix times_laplacian(const Matrix& f, const NeighbourGraph& graph, Context& ctx);

}  // namespace clade
