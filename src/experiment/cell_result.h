#pragma once

#include <clade/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// What a cell found. Values are in the order of Experiment::measures; empty: the measure does not apply.
struct CellResult {
  struct Fold {
    Index samples = 0;
    std::vector<std::optional<double>> values;
    double fit_seconds = 0;
    double predict_seconds = 0;
    std::string tuned;  // the parameters that tuning chose
  };
  std::vector<std::optional<double>> values;  // over all folds
  std::vector<Fold> folds;                    // one if there are none
  double seconds = 0;
  Index data_samples = 0;  // of the whole data set, with its features; 0: texts, which have none yet
  Index data_features = 0;
  // What the first selection of features minimised, by iteration (from 1): some of them, where they are many.
  std::vector<std::pair<Index, double>> objective;
  double memory = 0;  // the most that the process had in use meanwhile, in bytes
  std::string error;  // why there are no values
  // The file of predictions, if it is to be kept, and the hash of its bytes; only the hash is part of the text below.
  std::string predictions;
  std::string predictions_hash;
};

// As a line of JSON, and back. Numbers come back as they were.
std::string cell_result_text(const CellResult& result);
CellResult parse_cell_result(const std::string& text);

}  // namespace clade
