#pragma once

#include <string>
#include <vector>

#include "io/delimited.h"

namespace clade {

// What the first row and the options say about a CSV file: how fields are separated, what the columns are called, and
// which of them are features.
struct CsvLayout {
  char delimiter = ',';
  bool header = false;
  std::vector<std::string> names;  // of all columns; empty without a header
  Index columns = 0;
  Index label = -1;   // 0-based; -1: none
  Index sample = -1;  // the column with the names of the samples
  std::size_t data_begin = 0;
  Index data_line = 1;
  Index empty_lines = 0;      // skipped before the first row
  std::vector<char> ignored;  // per column; empty: none
  bool has_texts = false;     // besides numbers, labels and sample names, so that columns are of several kinds

  bool is_ignored(Index column) const { return !ignored.empty() && ignored[static_cast<std::size_t>(column)] != 0; }
  Index features() const;
  std::vector<std::string> feature_names() const;
  // For messages: 'height', or 3.
  std::string column_name(Index column) const;
};

// Throws Error if the options do not fit the first row. `delimiter` is that of the format, or 0 to guess it.
CsvLayout read_csv_layout(const DelimitedText& text, const ReadOptions& options, char delimiter,
                          std::vector<std::string>& notes);

// Does the text stand for a missing value? It has no blanks around it.
bool is_missing_in_csv(std::string_view text);
// Does a header mark the column of labels by this name, beyond doubt?
bool is_label_column_name(std::string_view name);

}  // namespace clade
