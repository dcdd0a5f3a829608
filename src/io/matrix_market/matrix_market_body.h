#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include "io/input.h"
#include "io/parsed.h"

namespace clade {

// The first lines of a Matrix Market file: its banner and the line with its sizes.
struct MatrixMarketHeader {
  enum class Field { kReal, kInteger, kPattern };
  enum class Symmetry { kGeneral, kSymmetric, kSkewSymmetric };

  bool coordinate = true;  // otherwise an array: every value, column by column
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;     // number of lines that follow: stated for coordinates, computed for arrays
  Index size_line = 0;   // the line with the sizes
  std::size_t body = 0;  // where the first entry may begin
};

// Throws Error with the line of what is wrong: another banner, complex numbers, invalid sizes.
MatrixMarketHeader parse_matrix_market_header(const Input& input);

// Reads the entries after the header, on several threads, into `data.features`, and counts and locates missing values.
// Sparse for coordinates, dense for an array. Rows are samples unless `transposed`. Throws Error with line and column
// of what is wrong: a number out of range, an entry given twice, more or fewer entries than the header states, more
// samples than check_row_limit() allows.
void set_matrix_market_features(ParsedData& data, const Input& input, const MatrixMarketHeader& header, bool transposed,
                                Precision precision, Context& ctx);

}  // namespace clade
