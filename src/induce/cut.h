#pragma once

#include <clade/learn.h>

#include <optional>
#include <vector>

namespace clade {

// Sets the inconsistency of every merge (Cai, thesis, Algorithm 8, lines 13 to 24). With S the distances of the link
// itself and of the links that made its two parts, at most three,
//
//   IC = (distance - mean S) / standard deviation of S (n - 1),          0 where the deviation is, or S has one only.
void set_inconsistency(std::vector<Merge>& merges);

// Sets `cuts` to 1 for the links that Algorithm 8 cuts, and to 0 for the others: those whose inconsistency is above the
// mean of all that are not 0, and every link that builds on one that is cut. Returns that mean; nothing if all are 0.
// Equal coefficients are not above their mean, whatever the rounding.
std::optional<double> cut_inconsistent(std::vector<Merge>& merges);

// Cuts the dendrogram of q classes into L levels below the root, the classes being the last: level l gets about
// q^(l / L) clusters, so that every node has about as many children as any other, made by cutting the links of the
// largest distances. The exact number is where the distances leave the widest gap between the links kept and those
// cut, among the numbers that are nearer to q^(l / L) than to its neighbours (by ratio); of equal gaps the one with
// fewer clusters. Sets `cuts`.
// Throws Error (kInput) where there are too few classes: L levels need L + 1.
void cut_levels(std::vector<Merge>& merges, int levels);

}  // namespace clade
