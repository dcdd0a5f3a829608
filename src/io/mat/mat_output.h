#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/output_file.h"

namespace clade {

// A variable to write, whatever kind of MATLAB file it goes to.
struct MatOutput {
  enum class Kind { kDouble, kSingle, kSparse, kTexts };
  std::string name;
  Kind kind = Kind::kDouble;
  Index rows = 0;
  Index columns = 0;

  // kDouble, kSingle: writes rows [row, row_end) of columns [column, column_end), column after column, as double or
  // float. Called from several threads. Values are asked for piece by piece, so that no transposed copy is made.
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

// Does a variable fit into a level 5 file? Its element states its size, and that of an array its dimensions, as 32-bit
// numbers with a sign: 2 GB, unpacked, are the limit (that of MATLAB's own `save -v7`).
bool fits_mat5(const MatOutput& variable);

// Level 5, each variable in an element packed by zlib. Requires variables that fit.
void write_mat5(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx);
// 7.3: HDF5 with MATLAB's user block and attributes, arrays in packed chunks.
void write_mat73(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx);

}  // namespace clade
