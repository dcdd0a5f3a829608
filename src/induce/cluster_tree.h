#pragma once

#include <clade/learn.h>

#include <string>
#include <vector>

namespace clade {

struct ClusterTree {
  Taxonomy taxonomy;
  std::vector<ClassCluster> clusters;  // the inner nodes below the root, parents first
};

// The taxonomy that a cut dendrogram stands for: at level l the clusters are the classes that are joined by links of
// at most levels - 1 - l cuts; the classes are the last level. `without_samples` names classes that are in no
// merge: they stand below the root.
//
// A cluster that would have one child, or hold all classes, is no node of its own, unless `strict`: then every class is
// at the last level, with a node at each level above it.
//
// Clusters are numbered in the order of their first classes: cluster-1, and below it cluster-1.1, ...; the root is
// called root. Where classes have such names, "new-" stands before.
ClusterTree cluster_tree(const Dendrogram& dendrogram, const std::vector<std::string>& without_samples, bool strict);

// For every class the number of its cluster at a level from 1 to levels - 1; clusters are numbered by first class.
std::vector<Index> clusters_at(const Dendrogram& dendrogram, int level);

}  // namespace clade
