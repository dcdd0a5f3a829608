#pragma once

#include <clade/types.h>

#include "io/input.h"

namespace clade {

// The first lines of a Matrix Market file: its banner and the line with its sizes.
struct MatrixMarketHeader {
  enum class Field { kReal, kInteger, kPattern };
  enum class Symmetry { kGeneral, kSymmetric, kSkewSymmetric };

  bool coordinate = true;  // else an array: every value, column by column
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;     // lines that follow: stated for coordinates, computed for arrays
  Index size_line = 0;   // the line with the sizes
  std::size_t body = 0;  // where the first entry may begin
};

// Throws Error with the line of what is wrong: another banner, complex numbers, sizes that are none.
MatrixMarketHeader parse_matrix_market_header(const Input& input);

}  // namespace clade
