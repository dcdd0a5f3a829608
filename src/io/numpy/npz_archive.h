#pragma once

#include <clade/context.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "io/input.h"
#include "io/numpy/npy_array.h"

namespace clade {

class ArchiveWriter;

// The arrays of a .npz file, which is a ZIP archive with one .npy file per array.
class NpzArchive {
 public:
  // Unpacks the arrays named in `wanted` and skips the others. Memory grows with the bytes that actually arrive, at
  // most to what each array's header declares. Throws Error on a corrupt archive, on an array that cannot be read (see
  // parse_npy_header) and on two arrays of the same name. Arrays that are stored as they are stay in the file: `input`
  // must outlive this.
  NpzArchive(const Input& input, std::span<const std::string_view> wanted, Context& ctx);
  ~NpzArchive();
  NpzArchive(NpzArchive&&) noexcept;

  // The array, or null. Marks it as used.
  const NpyArray* find(std::string_view name);
  // The first of these arrays that exists.
  const NpyArray* find_any(std::span<const std::string_view> names);
  // The array, or an Error that says what it is needed for.
  const NpyArray& require(std::string_view name, std::string_view purpose);

  const std::string& file() const { return file_; }
  // The names of all members, and of those that were not asked for, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> unused_names() const;

 private:
  struct Member;
  std::string file_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Member>> members_;
};

// Writes a .npz file. Members are deflated, except those of 64 KiB and more whose first 64 KiB would not shrink by a
// tenth: these are stored as they are, and read in place. The same arrays give the same bytes.
class NpzWriter {
 public:
  explicit NpzWriter(Sink& sink);
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  // Begins an array of `item_size` bytes per element; write() then takes its elements, in C order.
  void begin(std::string_view name, std::string_view descr, Index item_size, const std::vector<Index>& shape);
  void write(const void* elements, std::size_t bytes);
  // Ends the archive. Without it the file is incomplete.
  void close();

  template <class T>
  void write(std::span<const T> elements) {
    write(elements.data(), elements.size_bytes());
  }

 private:
  static constexpr std::size_t kStart = std::size_t{1} << 16U;

  // Decides how the member is kept, and begins it.
  void end_start();

  std::unique_ptr<ArchiveWriter> writer_;
  std::string path_;   // of the member that has not begun yet; empty: none
  std::string start_;  // its first bytes, at most kStart
  Index bytes_ = 0;    // of all of it
};

}  // namespace clade
