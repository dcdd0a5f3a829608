#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/output_file.h"

namespace clade {

// A variable to write to either kind of MATLAB file.
struct MatOutput {
  enum class Kind { kDouble, kSingle, kSparse, kTexts };
  std::string name;
  Kind kind = Kind::kDouble;
  Index rows = 0;
  Index columns = 0;

  // kDouble, kSingle: writes rows [row, row_end) of columns [column, column_end), column by column, as double or float.
  // Called from several threads. Values are requested piece by piece, to avoid a transposed copy.
  using Fill = std::function<void(Index row, Index row_end, Index column, Index column_end, char* out)>;
  Fill fill;

  // kSparse: entries by column, rows ascending within it, no zeros.
  std::vector<Index> column_starts;  // columns + 1
  std::vector<std::int32_t> row_indices;
  std::vector<double> values;

  // kTexts: a cell array, rows x 1; valid UTF-8.
  std::vector<std::string> texts;

  std::size_t value_bytes() const { return kind == Kind::kSingle ? 4 : 8; }
};

// Does a variable fit into a level 5 file? Its size and an array's dimensions are stored as signed 32-bit numbers, so
// the limit is 2 GB unpacked (as for MATLAB's own `save -v7`).
bool fits_mat5(const MatOutput& variable);

// Level 5, with each variable in an element packed by zlib. Requires variables that fit.
void write_mat5(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx);
// 7.3: HDF5 with MATLAB's user block and attributes; arrays are in packed chunks.
void write_mat73(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx);

}  // namespace clade
