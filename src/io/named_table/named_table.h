#pragma once

#include <clade/context.h>

#include <string>
#include <vector>

#include "io/input.h"

namespace clade {

// A table of numbers with named rows and columns: CSV with a header, where every line starts with a name.
//
//   class,soccer,tennis
//   soccer,0,1
//   tennis,1,0
struct NamedTable {
  std::string file;  // for messages
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;

  // Rows (and, if square, columns) in the order of the given names; others are left out. Throws Error (kInput) for a
  // name that the table lacks.
  std::vector<std::vector<double>> rows_for(const std::vector<std::string>& names) const;
  std::vector<std::vector<double>> square_for(const std::vector<std::string>& names) const;
};

// Throws Error (kInput) with the line for a record of another length, a value that is not a finite number, or a
// repeated name.
NamedTable parse_named_table(const Input& input);
NamedTable read_named_table(const std::string& path, Context& ctx);

}  // namespace clade
