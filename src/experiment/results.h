#pragma once

#include <clade/compare.h>
#include <clade/experiment.h>
#include <clade/experiment_results.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/cell_result.h"

namespace clade {

// All values of one measure, by data set and method, both in the order of the cells.
struct MeasuredMethods {
  struct Place {
    // The values of cells, and of all their folds.
    std::vector<double> cells;
    std::vector<double> folds;
    // By repeat and fold, the mean over random taxonomies and orders: what methods can be compared on in pairs.
    std::vector<std::pair<std::pair<Index, Index>, double>> paired;

    std::optional<double> mean() const;
    std::optional<double> deviation() const;  // over the folds
  };
  std::string measure;
  bool higher_is_better = true;
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<Place> places;  // datasets x methods

  const Place& at(std::size_t dataset, std::size_t method) const { return places[dataset * methods.size() + method]; }
  // The methods with the best mean on a data set.
  bool is_best(std::size_t dataset, std::size_t method) const;
};

std::vector<MeasuredMethods> measured_methods(const Experiment& experiment, const std::vector<CellResult>& results);
// The same from the files of the results.
std::vector<MeasuredMethods> measured_methods(const ExperimentResults& results);

// Could the differences of two methods on one data set come from chance? A permutation test over its folds.
struct FoldComparison {
  std::size_t dataset = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  Index folds = 0;
  double difference = 0;  // mean of a minus mean of b
  double p = 1;
  double p_holm = 1;  // over all pairs of the data set
};

struct MethodTests {
  std::vector<std::size_t> datasets;     // on which every method has a value
  std::optional<Comparison> comparison;  // over these, if there are two or more
  std::vector<FoldComparison> folds;
  std::string note;  // on what is left out
};
MethodTests tests_of(const MeasuredMethods& measured, Context& ctx);

// Writes results.csv, summary.json, tables.md and tables.tex. Returns the tables as text. `facts` are what the run
// rests on: version, parts of the experiment, hashes of files.
std::string write_results(const Experiment& experiment, const std::vector<CellResult>& results,
                          const std::vector<std::pair<std::string, std::string>>& facts, const std::string& folder,
                          Context& ctx);

// The long form: a row per cell, fold and measure.
std::string results_csv(const Experiment& experiment, const std::vector<CellResult>& results);
std::string tables_markdown(const std::vector<MeasuredMethods>& measured, const std::vector<MethodTests>& tests);
std::string tables_latex(const std::vector<MeasuredMethods>& measured, const std::vector<MethodTests>& tests);

}  // namespace clade
