#pragma once

#include <memory>

#include "induce/taxonomy_learner.h"

namespace clade {

// Automatic hierarchy learning (Cai, thesis, Algorithm 8): centroids of the classes, agglomerative clustering of them,
// and a cut of the dendrogram where links are inconsistent, or into a given number of levels.
//
// Cost: O(values of the data + q² p) for the centroids and their distances, O(q²) for clustering; memory for q (q - 1)
// / 2 distances and the centroids.
std::unique_ptr<TaxonomyLearner> make_agglomerative();

}  // namespace clade
