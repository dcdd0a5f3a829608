#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Numbers for the scripts of a page in few bytes, where a picture needs no more digits.

std::string base64(std::span<const std::uint8_t> bytes);

// Every number as a whole one from -32767 to 32767, little endian, in units of largest / 32767; base64.
std::string packed_signed(std::span<const double> numbers, double largest);

// Every number as one byte, from `low` (0) to `high` (255); base64.
std::string packed_bytes(std::span<const double> numbers, double low, double high);

}  // namespace clade
