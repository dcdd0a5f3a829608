#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/select.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clade {

// {"method", "parameters", "features": [names], "objective": [per iteration], "gap", "seconds",
//  "nodes": [{"node": name, "ranking": [0-based features, best first], "weight": [in the same order]}]}
// A ranking for the whole data set has the single node "*". Common features, where asked for, are a further list
// "common".
nlohmann::json ranking_json(const FeatureRanking& ranking, const Dataset& data);

// Reads such a file for a data set with the same features and hierarchy. Throws Error (kInput) if it has other features
// (by name), nodes that the taxonomy does not have, or is no ranking.
FeatureRanking read_ranking(const std::string& path, const Dataset& data, Context& ctx);

// Writes that to a file, which appears whole or not at all.
void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite);

}  // namespace clade
