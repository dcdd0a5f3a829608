#pragma once

#include <clade/learn.h>

#include <optional>
#include <vector>

namespace clade {

// Sets the inconsistency of every merge (Cai, thesis, Algorithm 8, lines 13 to 24). With S the distances of the link
// itself and of the links that made its two parts (at most three in all),
//
//   IC = (distance - mean S) / standard deviation of S (n - 1);          0 if that deviation is 0 or S has one element.
void set_inconsistency(std::vector<Merge>& merges);

// Sets `cuts` to 1 for the links that Algorithm 8 cuts, and to 0 for the others. It cuts the links whose inconsistency
// is above the mean of all those that are not 0, and every link that builds on one that is cut. Returns that mean, or
// nothing if all are 0. Equal coefficients are not above their mean, whatever the rounding.
std::optional<double> cut_inconsistent(std::vector<Merge>& merges);

// Cuts the dendrogram of q classes into L levels below the root, the last being the classes. Level l gets about q^(l /
// L) clusters, so that all nodes have about equally many children; the links with the largest distances are cut. The
// exact number is the one with the widest gap between the distances kept and those cut, among the numbers nearer to
// q^(l / L) than to the targets of the neighbouring levels (by ratio); of equal gaps, the one with fewer clusters. Sets
// `cuts`.
// Throws Error (kInput) if there are too few classes: L levels need L + 1.
void cut_levels(std::vector<Merge>& merges, int levels);

}  // namespace clade
