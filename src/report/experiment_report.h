#pragma once

#include <clade/experiment.h>

#include <string>
#include <vector>

namespace clade {

// What an experiment would do: its cells in groups, and what they will take on so many threads.
std::string estimate_text(const Experiment& experiment, const std::vector<CellEstimate>& estimates, int threads);
std::string estimate_json(const Experiment& experiment, const std::vector<CellEstimate>& estimates, int threads);

// What it did. Failed cells are named, the first few of them.
std::string outcome_text(const ExperimentOutcome& outcome, const std::string& folder);
std::string outcome_json(const ExperimentOutcome& outcome, const std::string& folder);

}  // namespace clade
