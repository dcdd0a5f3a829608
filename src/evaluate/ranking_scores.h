#pragma once

#include <span>

#include "evaluate/ancestor_table.h"

namespace clade {

// Hierarchical loss between two labels: half of the nodes that are an ancestor of only one of them (each label is its
// own ancestor). In a tree, half of the edges between them (Cai 2008, section 7.2).
double hierarchical_loss(const AncestorTable& table, NodeId a, NodeId b);

// Measures of a ranking F of all classes for a sample with the true labels Y; N are the other classes.
//
//   average precision   mean over y in Y of |{r in Y: F(r) >= F(y)}| / |{r: F(r) >= F(y)}|           (7.4)
//   ranking loss        |{(y, n): F(y) <= F(n)}| / (|Y| |N|)                                         (7.5)
//   maximal loss        largest hierarchical loss of a pair (y, n) with F(y) <= F(n), 0 if there is none   (4.18)
//   summed loss         sum of |anc(y) - anc(n)| + |anc(n) - anc(y)| over these pairs                (3.15)
//   coverage            |{r: F(r) >= F(y) for some y in Y}|
//
// Ties count against the ranking.
struct RankingScore {
  double average_precision = 0;
  double ranking_loss = 0;
  double maximal_loss = 0;
  double summed_loss = 0;
  double coverage = 0;
};

// `list` has the best label first and contains all of `truth`; scores never rise. Classes that are not listed rank
// below those that are. `table` contains all labels of the list. O(|list| + (pairs in the wrong order) x ancestors).
RankingScore score_ranking(std::span<const NodeId> truth, std::span<const NodeId> list, std::span<const double> scores,
                           Index classes, const AncestorTable& table);

}  // namespace clade
