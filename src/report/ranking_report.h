#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clade {

// A ranking for people: per node the best features by name, and how many of its best it shares with its parents and
// siblings.
std::string ranking_text(const FeatureRanking& ranking, const Dataset& data);

// The same as JSON (docs/select.md).
nlohmann::json ranking_json(const FeatureRanking& ranking, const Dataset& data);

}  // namespace clade
