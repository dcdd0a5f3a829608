#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/output_file.h"
#include "io/input.h"

namespace clade {

// A file of arrays: a header, a JSON description, arrays that begin at multiples of 64 bytes, and a checksum over
// everything. The arrays can be used in place in a memory map. docs/formats/model.md specifies every byte.
//
// Arrays that are too large to be read when the file is opened come last, in format version 2: a second checksum covers
// what lies before them, and whoever uses them checks them.

constexpr std::string_view kArrayFileMagic(
    "\x89"
    "CLADE\r\n",
    8);
constexpr std::uint32_t kArrayFileVersion = 2;  // the newest; files without late arrays have version 1
constexpr std::size_t kArrayAlignment = 64;     // a cache line, and the widest vector register
constexpr std::size_t kArrayFileHeader = 64;

// The name of an array's element type in the description.
template <class T>
struct ElementType;
template <>
struct ElementType<std::uint8_t> {
  static constexpr std::string_view kName = "u8";
};
template <>
struct ElementType<std::uint16_t> {
  static constexpr std::string_view kName = "u16";
};
template <>
struct ElementType<std::uint32_t> {
  static constexpr std::string_view kName = "u32";
};
template <>
struct ElementType<std::int32_t> {
  static constexpr std::string_view kName = "i32";
};
template <>
struct ElementType<std::int64_t> {
  static constexpr std::string_view kName = "i64";
};
template <>
struct ElementType<float> {
  static constexpr std::string_view kName = "f32";
};
template <>
struct ElementType<double> {
  static constexpr std::string_view kName = "f64";
};

// Collects arrays, then writes them all. The arrays given to add() must stay in place until then. Arrays without
// elements are left out.
class ArrayFileWriter {
 public:
  template <class T>
  void add(std::string name, std::span<const T> values) {
    add_slices(std::move(name), std::vector<std::span<const T>>{values});
  }
  // An array whose slices each begin at a multiple of 64 bytes; the gaps between them are filled with 0.
  template <class T>
  void add_slices(std::string name, const std::vector<std::span<const T>>& slices) {
    std::vector<std::string_view> pieces;
    for (const auto slice : slices)
      pieces.emplace_back(reinterpret_cast<const char*>(slice.data()), slice.size_bytes());
    add_pieces(std::move(name), ElementType<T>::kName, sizeof(T), std::move(pieces));
  }
  // The same for an array that is not checked when the file is opened.
  template <class T>
  void add_late_slices(std::string name, const std::vector<std::span<const T>>& slices) {
    const std::size_t before = entries_.size();
    add_slices(std::move(name), slices);
    if (entries_.size() > before) entries_.back().is_late = true;
  }
  template <class T>
  void add_copy(std::string name, std::vector<T> values) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    add(std::move(name), std::span<const T>(*kept));
    kept_.push_back(std::move(kept));
  }
  // NAME holds all bytes; NAME_offsets says where each string begins, and where the last ends.
  void add_strings(const std::string& name, std::span<const std::string> strings);

  // Adds "arrays", the directory, to the description before writing.
  void write(nlohmann::json description, Sink& sink) const;

 private:
  struct Entry {
    std::string name;
    std::string_view type;
    std::size_t element_bytes = 0;
    std::size_t bytes = 0;
    std::vector<std::string_view> pieces;
    bool is_late = false;
  };
  void add_pieces(std::string name, std::string_view type, std::size_t element_bytes,
                  std::vector<std::string_view> pieces);

  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<const void>> kept_;
};

// Such a file, opened and checked to be complete. Late arrays are not looked at.
class ArrayFile {
 public:
  // Throws Error (kInput) that names the file if it has another format, is truncated or changed, or has a newer
  // version.
  explicit ArrayFile(const Input& input);

  const nlohmann::json& description() const { return description_; }
  // The elements of an array, or none if there is no such array. They live as long as storage().
  template <class T>
  std::span<const T> array(std::string_view name) const {
    const std::string_view bytes = find(name, ElementType<T>::kName);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  std::vector<std::string> strings(std::string_view name) const;
  // Throws Error (kInput) if any byte has changed, also in late arrays: one pass over the file.
  void require_unchanged() const;

  std::shared_ptr<const void> storage() const { return storage_; }
  Error error(std::string_view problem, std::string_view expected) const;
  const Where& where() const { return where_; }

 private:
  struct Entry {
    std::string type;
    std::string_view bytes;
  };
  void check_header(std::string_view bytes) const;
  void require_checksum(std::string_view bytes, std::uint64_t stored) const;
  void read_description(std::string_view bytes);
  void read_entry(const nlohmann::json& entry, std::string_view arrays);
  std::string_view find(std::string_view name, std::string_view type) const;

  Where where_;
  std::shared_ptr<const void> storage_;
  std::string_view bytes_;
  nlohmann::json description_;
  std::map<std::string, Entry, std::less<>> entries_;
};

// Corrects the length and checksum of such a file after its bytes were changed. For tests and fuzzing.
void seal_array_file(std::string& bytes);

}  // namespace clade
