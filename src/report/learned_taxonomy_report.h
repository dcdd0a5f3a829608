#pragma once

#include <clade/dataset.h>
#include <clade/learn.h>

#include <string>
#include <vector>

namespace clade {

// The learnt taxonomy for people: the clusters and their classes.
std::string learned_taxonomy_text(const LearnedTaxonomy& learned, const Dataset& data);

// The same as JSON: method, parameters, classes, clusters, notes, seconds, memory, and the files that were written.
std::string learned_taxonomy_json(const LearnedTaxonomy& learned, const Dataset& data,
                                  const std::vector<std::string>& files);

// The dendrogram file, with everything that led to the taxonomy; docs/learn-taxonomy.md describes it.
std::string dendrogram_json(const LearnedTaxonomy& learned);

}  // namespace clade
