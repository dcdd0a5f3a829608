#include "io/row_limit.h"

#include <fmt/format.h>

namespace clade {

void check_row_limit(Index rows, std::size_t file_bytes, const Where& where) {
  constexpr Index kFreeRows = 1'000'000;
  const Index limit = kFreeRows + static_cast<Index>(file_bytes / 2);
  if (rows > limit) {
    throw input_error(where, fmt::format("{} samples in a file of {} bytes", rows, file_bytes),
                      fmt::format("expected at most {}", limit));
  }
}

}  // namespace clade
