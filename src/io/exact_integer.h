#pragma once

#include <bit>
#include <cstdint>

namespace clade {

// Does a double hold this integer exactly? It has 53 bits for the digits between the first and the last that is 1.
inline bool is_exact_in_double(std::uint64_t magnitude) {
  return magnitude == 0 || static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) <= 53;
}

}  // namespace clade
