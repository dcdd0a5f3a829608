#pragma once

#include <clade/context.h>
#include <clade/learn.h>

#include <vector>

#include "induce/condensed_distances.h"

namespace clade {

// The distance between two clusters, from those between their objects.
enum class Linkage {
  kAverage,   // the mean over all pairs (Cai, thesis, equation 6.2)
  kComplete,  // the largest
  kSingle,    // the smallest
};

// Agglomerative clustering: again and again the two nearest clusters become one. The merges, nearest first, with their
// parts, distances and sizes; `distances` is used up.
//
// By chains of nearest neighbours (Murtagh 1983): two clusters that are each other's nearest may be merged at once,
// whatever the others do, since none of the three linkages brings a merged cluster nearer to a third than its parts
// were. O(q²) time, no memory but the distances. Of clusters equally near, the one with the first object is nearest:
// where distances tie the result depends on the order of the objects, on nothing else.
std::vector<Merge> agglomerate(CondensedDistances distances, Linkage linkage, Context& ctx);

}  // namespace clade
