#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <string>

namespace clade {

// A ranking for people: for each node the names of its best features, and how many of them it shares with its parents
// and siblings.
std::string ranking_text(const FeatureRanking& ranking, const Dataset& data);

// The content of ranking.json (docs/select.md), indented.
std::string ranking_json_text(const FeatureRanking& ranking, const Dataset& data);

// What a ranking file holds, without the data that it was made on: method, parameters, nodes and best features.
// Throws Error (kInput) if it is not a ranking.
std::string ranking_file_text(const std::string& path, Context& ctx);
// The same as JSON: {"format": "ranking", "method", "parameters", "features", "notes",
// "nodes": [{"node", "samples", "children", "best": [names]}]}.
std::string ranking_file_json(const std::string& path, Context& ctx);

}  // namespace clade
