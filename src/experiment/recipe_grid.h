#pragma once

#include <clade/experiment.h>

#include "experiment/spec_checks.h"

namespace clade {

// A [[recipe]] of an experiment file, with all grids resolved. `predictions` is for recipes that do not say what to
// keep. Throws Error (kInput) with the line.
ExperimentRecipe parse_recipe(const TomlValue& table, const SpecFile& file, KeptPredictions predictions);

// true, false or "ranked".
KeptPredictions parse_kept_predictions(const TomlValue& value, const SpecFile& file);

// "is 10^9, expected at most a million": refuses numbers of combinations that nobody can mean.
void require_countable(double count, std::string_view what, const TomlValue& at, const SpecFile& file);

}  // namespace clade
