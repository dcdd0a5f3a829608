#pragma once

#include <clade/error.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace clade {

static_assert(std::endian::native == std::endian::little, "the binary readers swap bytes for little-endian machines");

template <std::unsigned_integral T>
T swap_bytes(T value) {
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

// Reads numbers, one after the other, from bytes of unknown origin. Every step is checked: reading past the end is an
// Error (kInput) that names the file and the byte. The bytes and the file's name must outlive the reader.
class BinaryReader {
 public:
  // `begins_at` is the position of bytes[0] in the file, for messages. If the bytes do not stand in the file as they
  // are, `inside` says what they are a part of (" of the unpacked element at byte 128").
  BinaryReader(const std::string& file, std::string_view bytes, std::uint64_t begins_at = 0, std::string inside = {})
      : file_(&file), bytes_(bytes), begins_at_(begins_at), inside_(std::move(inside)) {}

  void set_big_endian(bool big_endian) { big_endian_ = big_endian; }
  bool big_endian() const { return big_endian_; }

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

  std::uint8_t u8(std::string_view what) { return number<std::uint8_t>(what); }
  std::uint16_t u16(std::string_view what) { return number<std::uint16_t>(what); }
  std::uint32_t u32(std::string_view what) { return number<std::uint32_t>(what); }
  std::uint64_t u64(std::string_view what) { return number<std::uint64_t>(what); }

  // The next `count` bytes.
  std::string_view take(std::uint64_t count, std::string_view what) {
    if (count > left()) ends_inside(what, count);
    const std::string_view taken = bytes_.substr(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }
  // A reader of just the next `count` bytes; this one moves past them.
  BinaryReader sub_reader(std::uint64_t count, std::string_view what) {
    const std::uint64_t place = begins_at_ + position_;
    BinaryReader inner(*file_, take(count, what), place, inside_);
    inner.big_endian_ = big_endian_;
    return inner;
  }
  void skip(std::uint64_t count, std::string_view what) { take(count, what); }
  // Advances to a multiple of `step` from the start of the bytes, or to their end if that comes first.
  void align(std::size_t step);

  // Throws an Error with the position of the next byte.
  [[noreturn]] void fail(std::string_view problem, std::string_view expected = {}) const;

 private:
  template <class T>
  T number(std::string_view what) {
    T value;
    take(sizeof(T), what).copy(reinterpret_cast<char*>(&value), sizeof(T));
    return big_endian_ ? swap_bytes(value) : value;
  }
  [[noreturn]] void ends_inside(std::string_view what, std::uint64_t needed) const;

  const std::string* file_;
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::uint64_t begins_at_;
  std::string inside_;
  bool big_endian_ = false;
};

// Builds little-endian binary content.
class BinaryWriter {
 public:
  BinaryWriter& u8(std::uint64_t value) { return number(static_cast<std::uint8_t>(value)); }
  BinaryWriter& u16(std::uint64_t value) { return number(static_cast<std::uint16_t>(value)); }
  BinaryWriter& u32(std::uint64_t value) { return number(static_cast<std::uint32_t>(value)); }
  BinaryWriter& u64(std::uint64_t value) { return number(value); }
  BinaryWriter& bytes(std::string_view content) {
    text_ += content;
    return *this;
  }
  BinaryWriter& raw(const void* data, std::size_t size) { return bytes({static_cast<const char*>(data), size}); }
  BinaryWriter& zeros(std::size_t count) {
    text_.append(count, '\0');
    return *this;
  }
  // Zeros up to a multiple of `step`.
  BinaryWriter& pad(std::size_t step) { return zeros((step - text_.size() % step) % step); }

  std::size_t size() const { return text_.size(); }
  std::string& text() { return text_; }

 private:
  template <std::unsigned_integral T>
  BinaryWriter& number(T value) {
    return raw(&value, sizeof value);
  }
  std::string text_;
};

}  // namespace clade
