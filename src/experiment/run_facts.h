#pragma once

#include <clade/experiment.h>

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiment/cell_result.h"

namespace clade {

// Adds to summary.json what was run: `data`, `recipes`, `taxonomies`, and under `convergence` what the selections of
// features minimised.
void add_run_facts(const Experiment& experiment, const std::vector<CellResult>& results, nlohmann::json& document);

}  // namespace clade
