#include "io/mat/byte_io.h"

#include <fmt/core.h>

#include <algorithm>

namespace clade {

void BinaryReader::align(std::size_t step) {
  position_ = std::min(bytes_.size(), (position_ + step - 1) / step * step);
}

void BinaryReader::fail(std::string_view problem, std::string_view expected) const {
  throw input_error({.file = *file_}, fmt::format("byte {}{}: {}", begins_at_ + position_, inside_, problem), expected);
}

void BinaryReader::ends_inside(std::string_view what, std::uint64_t needed) const {
  fail(fmt::format("truncated: {} needs {} bytes, {} are left", what, needed, left()), "expected a whole file");
}

}  // namespace clade
