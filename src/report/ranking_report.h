#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <string>

namespace clade {

// A ranking for people: per node the best features by name, and how many of its best it shares with its parents and
// siblings.
std::string ranking_text(const FeatureRanking& ranking, const Dataset& data);

// What ranking.json has (docs/select.md), indented.
std::string ranking_json_text(const FeatureRanking& ranking, const Dataset& data);

}  // namespace clade
