#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/mat/byte_reader.h"

namespace clade {

// Builds little-endian binary content.
class ByteWriter {
 public:
  ByteWriter& u8(std::uint64_t value) { return number(static_cast<std::uint8_t>(value)); }
  ByteWriter& u16(std::uint64_t value) { return number(static_cast<std::uint16_t>(value)); }
  ByteWriter& u32(std::uint64_t value) { return number(static_cast<std::uint32_t>(value)); }
  ByteWriter& u64(std::uint64_t value) { return number(value); }
  ByteWriter& bytes(std::string_view content) {
    text_ += content;
    return *this;
  }
  ByteWriter& raw(const void* data, std::size_t size) { return bytes({static_cast<const char*>(data), size}); }
  ByteWriter& zeros(std::size_t count) {
    text_.append(count, '\0');
    return *this;
  }
  // Zeros up to a multiple of `step`.
  ByteWriter& pad(std::size_t step) { return zeros((step - text_.size() % step) % step); }

  std::size_t size() const { return text_.size(); }
  std::string& text() { return text_; }

 private:
  template <std::unsigned_integral T>
  ByteWriter& number(T value) {
    return raw(&value, sizeof value);
  }
  std::string text_;
};

}  // namespace clade
