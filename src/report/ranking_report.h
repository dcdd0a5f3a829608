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

}  // namespace clade
