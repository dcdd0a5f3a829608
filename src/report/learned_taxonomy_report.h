#pragma once

#include <clade/dataset.h>
#include <clade/learn.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace clade {

// What was learned, for people: the clusters and what they hold.
std::string learned_taxonomy_text(const LearnedTaxonomy& learned, const Dataset& data);

// The same as JSON: method, parameters, classes, clusters, notes, seconds, memory.
nlohmann::json learned_taxonomy_json(const LearnedTaxonomy& learned, const Dataset& data);

// The dendrogram with everything that led to the taxonomy: docs/learn-taxonomy.md describes it.
nlohmann::json dendrogram_json(const LearnedTaxonomy& learned);

}  // namespace clade
