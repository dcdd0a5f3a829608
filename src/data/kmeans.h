#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <vector>

#include "comm/even_blocks.h"
#include "math/dense.h"
#include "math/kmeans_rows.h"

namespace clade {

struct KMeansOptions {
  Index clusters = 2;
  int starts = 20;
  // A start that still changes after this many rounds is left as it is and marked as not converged.
  int rounds = 300;
};

// The result of one start.
struct KMeansStart {
  std::vector<Index> labels;       // the cluster of every row that this process has, from 0
  Matrix centres;                  // columns x clusters: each centre is a column
  double objective = 0;            // sum over rows of the squared distance to the centre of its cluster
  std::vector<double> objectives;  // before each round of moving the centres; never rising except by rounding
  bool has_converged = false;      // no row changed its cluster in the last round
  Index refilled = 0;              // how often a cluster without rows was given one
};

struct KMeansResult {
  std::vector<KMeansStart> starts;
  std::size_t best = 0;  // the start with the smallest objective; the first of equals
  // Distinct rows, counted up to the number of clusters; with fewer, some clusters stay empty.
  Index distinct = 0;
};

// k-means: clusters whose centres are the means of their rows, by Lloyd's iteration from several random starts,
//
//   minimise  sum_i || x_i - c_label(i) ||²
//
// Each start draws its initial centres among the rows, far from each other (k-means++, Arthur and Vassilvitskii 2007:
// the probability of a row is proportional to its squared distance to the nearest centre drawn before). Then rows go to
// the nearest centre (on ties they stay) and centres to the mean of their rows, until no row moves. A cluster that
// loses all its rows gets the row that is farthest from its centre; the first of equals.
//
// Processes may have blocks of the rows: all call it with theirs. Sums over rows are those of the blocks, so that they
// have the same bits for any number of processes, and what is drawn, or farthest, is found by all. One process runs
// starts in parallel if there are at least as many as threads; otherwise the rows of one start are worked on in
// parallel. Each start draws from its own stream, so results depend on the seed alone. Throws Error (kInput) if there
// are more clusters than rows, or values too large to compute with. Cost: starts x rounds x rows x columns x clusters
// at the speed of matrix products, or stored values x clusters for sparse rows; between processes, centres in every
// round.
KMeansResult k_means(const KMeansRows& rows, const EvenBlocks& blocks, const KMeansOptions& options, Context& ctx);

// The blocks for rows with so many columns.
EvenBlocks k_means_blocks(Team& team, Index rows, Index columns);

}  // namespace clade
