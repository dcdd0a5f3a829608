#pragma once

#include <clade/experiment_results.h>

#include "io/input.h"

namespace clade {

// read_experiment_results() for bytes already in memory: those of summary.json and of results.csv.
ExperimentResults parse_experiment_results(const Input& summary, const Input& table);

}  // namespace clade
