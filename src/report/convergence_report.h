#pragma once

#include <clade/select.h>

#include <string>

namespace clade {

// What a selector minimised, by iteration: as a table iteration,objective with a column for every constraint that was
// violated on the way, and as a chart (SVG) with a logarithmic axis. Both require an objective.
std::string convergence_csv(const FeatureRanking& ranking);
std::string convergence_svg(const FeatureRanking& ranking);

}  // namespace clade
