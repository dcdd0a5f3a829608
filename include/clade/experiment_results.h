#pragma once

#include <clade/context.h>
#include <clade/experiment.h>
#include <clade/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// What run_experiment() wrote into a folder, read back: results.csv, and what was run from summary.json. Data sets,
// methods and measures stand in the order of the experiment.

struct ResultDataset {
  std::string name;     // in results: "dd k=5"
  std::string data;     // in the experiment: "dd"
  Index per_class = 0;  // 0: it learns from all samples
};

struct ResultMethod {
  std::string name;
  std::string recipe;
  std::string taxonomy;
  std::vector<std::pair<std::string, std::string>> parameters;  // that vary within the recipe
};

// One fold of a cell that did not fail.
struct ResultFold {
  std::size_t dataset = 0;
  std::size_t method = 0;
  Index repeat = 1;
  Index draw = 1;
  Index order = 1;
  Index fold = 1;
  Index samples = 0;                          // measured
  std::vector<std::optional<double>> values;  // by measure; empty: it does not apply
  std::string tuned;                          // the parameters that tuning chose
  double fit_seconds = 0;
  double predict_seconds = 0;
  double memory_mib = 0;
};

struct RunData {
  std::string name;
  std::string file;
  std::string test;
  std::string measured_by;  // in words
  std::string hash;         // of the file
  std::vector<Index> per_class;
  Index repeats = 1;
  Index samples = 0;   // 0: not known
  Index features = 0;  // 0: not known, as of texts
};

struct RunRecipe {
  std::string name;
  std::vector<std::string> classifiers;
  std::vector<std::string> selectors;
  Index variants = 1;
  Index tuned_among = 0;  // combinations; 0: it is not tuned
  Index orders = 0;
};

struct RunTaxonomy {
  std::string name;
  std::string kind;
  std::string method;  // by which it is learnt
  Index draws = 1;
};

// What a selection of features minimised, by iteration.
struct ResultConvergence {
  std::string dataset;
  std::string method;
  std::vector<std::pair<Index, double>> objective;
};

struct ExperimentResults {
  std::string experiment;  // its file
  std::string version;     // of Clade
  std::uint64_t seed = 1;
  Index cells = 0;
  std::vector<RunData> data;
  std::vector<RunRecipe> recipes;
  std::vector<RunTaxonomy> taxonomies;
  std::vector<FailedCell> failed;
  std::vector<ResultConvergence> convergence;

  std::vector<std::string> measures;
  std::vector<ResultDataset> datasets;
  std::vector<ResultMethod> methods;
  std::vector<ResultFold> folds;
};

// Throws Error (kInput) with the file, and the line where there is one, if the folder does not hold the results of an
// experiment.
ExperimentResults read_experiment_results(const std::string& folder, Context& ctx);

}  // namespace clade
