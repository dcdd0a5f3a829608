#pragma once

#include <clade/learn.h>

#include <string>
#include <vector>

namespace clade {

struct ClusterTree {
  Taxonomy taxonomy;
  std::vector<ClassCluster> clusters;  // the inner nodes below the root, parents first
};

// The taxonomy that a cut dendrogram stands for: a cluster of level l holds the classes joined by links with at most
// levels - 1 - l cuts; the classes themselves are the last level. `without_samples` names classes that take part in no
// merge; they stand directly below the root.
//
// A cluster with a single child, or with all classes, gets no node of its own, unless `strict`: then every class is at
// the last level, with a node at each level above it.
//
// Clusters are numbered in the order of their first classes: cluster-1, below it cluster-1.1, and so on; the root is
// called root. If classes have such names, "new-" is put in front.
ClusterTree cluster_tree(const Dendrogram& dendrogram, const std::vector<std::string>& without_samples, bool strict);

// For every class, the number of its cluster at a level from 1 to levels - 1; clusters are numbered by their first
// class.
std::vector<Index> clusters_at(const Dendrogram& dendrogram, int level);

}  // namespace clade
