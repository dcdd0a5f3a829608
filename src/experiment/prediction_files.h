#pragma once

#include <clade/experiment.h>

#include <string>

namespace clade {

// The predictions of cells, a CSV file each. A file is there before the cell counts as done; whether it is whole is
// told by its hash, which the journal keeps.
class PredictionFiles {
 public:
  // `folder`: of the results.
  PredictionFiles(const Experiment& experiment, std::string folder);

  // Writes the file of a cell and returns its hash. Throws Error (kSystem). Safe for threads, one for each cell.
  std::string keep(Index cell, const std::string& text) const;
  // Is it there as it was written?
  bool has(Index cell, const std::string& hash, Context& ctx) const;

 private:
  std::string path_of(Index cell) const;

  const Experiment& experiment_;
  std::string folder_;
};

// The file of a cell within the folder of the results: predictions/0012.csv, numbers in the order of the cells.
std::string predictions_file(const Experiment& experiment, Index cell);

}  // namespace clade
