#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/columns/cell_table.h"

namespace clade {

// What the columns of a table are used for.
struct ColumnPlan {
  std::vector<DataColumn> features;  // text, numbers, dates, categories
  std::vector<Index> places;         // of the features among the columns of the table; -1: the table lacks it
  std::vector<Index> labels;         // one column, or one per level
  Index sample = -1;                 // the column with the names of the samples
  std::string separator;             // between levels in the name of a label; empty: labels are in one column
};

// Told by the names and values of the columns, except where the options say it. The decision is noted in one line.
// Throws Error if an option names no column, or if it is unclear which column has the labels.
ColumnPlan infer_columns(const CellTable& records, const ReadOptions& options, std::vector<std::string>& notes);

// Is one of the columns, by its name, the one of the labels, or are some of them the levels of labels?
bool has_label_name(const std::vector<std::string>& columns);

// The columns that a model was trained on, found by name in any order; the labels are optional. Missing columns are
// noted. Throws Error if there is none of them.
ColumnPlan find_columns(const CellTable& records, const TextOptions& learnt, const ReadOptions& options,
                        std::vector<std::string>& notes);

// A number as a table has it: with a decimal point, perhaps with blanks around it. Or a date such as 2024-05-31,
// perhaps with a time, as the number of days since 1970-01-01.
std::optional<double> cell_number(std::string_view cell);
std::optional<double> cell_date(std::string_view cell);

}  // namespace clade
