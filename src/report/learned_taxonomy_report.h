#pragma once

#include <clade/dataset.h>
#include <clade/learn.h>

#include <string>
#include <vector>

namespace clade {

// What was learned, for people: the clusters and what they hold.
std::string learned_taxonomy_text(const LearnedTaxonomy& learned, const Dataset& data);

// The same as JSON: method, parameters, classes, clusters, notes, seconds, memory, and the files that were written.
std::string learned_taxonomy_json(const LearnedTaxonomy& learned, const Dataset& data,
                                  const std::vector<std::string>& files);

// A file of the dendrogram with everything that led to the taxonomy: docs/learn-taxonomy.md describes it.
std::string dendrogram_json(const LearnedTaxonomy& learned);

}  // namespace clade
