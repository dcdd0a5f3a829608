#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/check.h"

namespace clade {

// Numbers, texts and arrays as bytes, in the order of this machine: what processes of one run tell each other, and what
// they keep for another run of the same program. Not for files of users.
class ByteWriter {
 public:
  ByteWriter() = default;
  // For about so many bytes: long texts are not copied while they grow.
  explicit ByteWriter(std::size_t expected) { bytes_.reserve(expected); }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByteWriter& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  ByteWriter& put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
    return *this;
  }
  ByteWriter& put(const std::string& text) { return put(std::string_view(text)); }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByteWriter& put(std::span<const T> values) {
    return put(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  template <class T>
  ByteWriter& put(const std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return put(std::span<const T>(values));
    } else {
      put(std::uint64_t{values.size()});
      for (const T& value : values) put(value);
      return *this;
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads them in the same order. Bytes that are too few are a broken invariant: checksums have been verified before.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByteReader& get(T& value) {
    std::memcpy(&value, next(sizeof(T)).data(), sizeof(T));
    return *this;
  }
  ByteReader& get(std::string& text) {
    text = next(size());
    return *this;
  }
  template <class T>
  ByteReader& get(std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      const std::string_view bytes = next(size());
      CLADE_CHECK(bytes.size() % sizeof(T) == 0);
      values.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      values.resize(size());
      for (T& value : values) get(value);
    }
    return *this;
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  // A text or array in place.
  std::string_view bytes() { return next(size()); }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::size_t size() { return get<std::uint64_t>(); }
  std::string_view next(std::size_t count) {
    CLADE_CHECK(count <= rest_.size());
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  std::string_view rest_;
};

}  // namespace clade
