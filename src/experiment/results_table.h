#pragma once

#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// One measure of several methods on several data sets, as a file of results holds it.
//
// CSV or TSV (told by the first line), compressed or not, with a header, in one of three layouts:
//
//   long         dataset,method,f1,...          a row per run; `metric` names the column
//   long-long    dataset,method,metric,value    a row per number; `metric` names the rows
//   wide         dataset,METHOD,METHOD,...      a row per data set; no column is called `method`
//
// The column of data sets may also be called `data`; the names of these columns are known in any case. Several rows for
// one method on one data set (folds, repeats) are averaged and noted. Empty cells, - (also the longer dashes), NA, nan
// and ? are missing. Data sets and methods keep the order of the file.
struct ResultsTable {
  std::string file;    // for messages
  std::string metric;  // "value" if the file does not say and the user did not
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<double> values;  // datasets x methods, NaN: missing
  std::vector<std::string> notes;

  double at(Index dataset, Index method) const {
    return values[static_cast<std::size_t>(dataset * std::ssize(methods) + method)];
  }
};

// An empty `metric` stands for the only one. Throws Error (kInput) with the line where the file is not such a table,
// where a value is no finite number, and where `metric` is not in it or must be given.
ResultsTable read_results_table(const Input& input, std::string_view metric);

// What to do about methods without a value on some data set.
enum class Incomplete {
  kError,
  kDropData,     // leave such data sets out
  kDropMethods,  // leave such methods out
  kWorst,        // keep them: a missing value ranks behind all others
};

// Applies the choice, and notes what it did. Throws Error (kInput) if a value is missing and that is an error, or if
// fewer than two methods or two data sets are left.
ResultsTable with_incomplete(ResultsTable table, Incomplete choice);

}  // namespace clade
