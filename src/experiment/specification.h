#pragma once

#include <clade/experiment.h>

#include "experiment/recipe_grid.h"
#include "experiment/toml_file.h"

namespace clade {

// The experiment that a document describes. Files are looked for beside it. Throws Error (kInput) with the line.
Experiment parse_experiment(const TomlValue& document, const std::string& path, std::uint64_t seed);

// Fills experiment.cells. Throws Error (kInput) if there are too many.
void make_cells(Experiment& experiment);

}  // namespace clade
