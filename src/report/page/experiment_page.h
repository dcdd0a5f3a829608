#pragma once

#include <clade/context.h>
#include <clade/parameters.h>
#include <clade/types.h>

#include <string>
#include <vector>

namespace clade {

struct ExperimentPageOptions {
  std::string title;                  // empty: the name of the experiment's file
  std::vector<std::string> measures;  // empty: all of the experiment
};

struct ExperimentPage {
  std::string html;
  Index cells = 0;
  std::vector<std::string> notes;
};

// A self-contained page about the results in the folder of an experiment: what was run, tables with tests, critical
// distances, numbers of features, learning curves, parameters, convergence, times, folds, and what tuning chose. At
// most 3 MB: what does not fit is left out with a note, the last measures first. Equal files give equal bytes. Throws
// Error (kInput) if the folder has no such results, or they lack a measure.
ExperimentPage experiment_page(const std::string& folder, const ExperimentPageOptions& options, Context& ctx);

}  // namespace clade
