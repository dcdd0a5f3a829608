#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <nlohmann/json_fwd.hpp>

namespace clade {

// {"method", "parameters", "features": [names], "objective": [per iteration], "gap", "seconds",
//  "nodes": [{"node": name, "ranking": [0-based features, best first], "weight": [in the same order]}]}
// A ranking for the whole data set has the single node "*". Common features, if asked for, are a further list "common".
nlohmann::json ranking_json(const FeatureRanking& ranking, const Dataset& data);

}  // namespace clade
