#pragma once

#include <clade/context.h>
#include <clade/error.h>
#include <clade/types.h>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace clade {

// The bytes of an input file: a memory map of a plain file, or the decompressed content of a .gz, .xz, .zst or .bz2
// file (recognised by its first bytes, not its name). The bytes live as long as the Input.
class Input {
 public:
  // Throws Error for a directory, a corrupt stream or a missing file (kInput), and for a file that cannot be read
  // (kSystem). A compressed file that would need more than half of this machine's memory is refused.
  static Input open(const std::string& path, Context& ctx);
  // The same in two steps: the file as it is, and its content.
  static Input open_as_is(const std::string& path, Context& ctx);
  static Input unpacked_text(Input file, Context& ctx);
  // Bytes that the caller keeps alive; `name` is the file's name in messages. For tests and fuzzing.
  static Input from_bytes(std::string name, std::string_view bytes);
  // The same for a temporary string, which is kept.
  template <std::same_as<std::string> Temporary>
  static Input from_bytes(std::string name, Temporary&& bytes) {
    return keeping(std::move(name), std::move(bytes));
  }

  std::string_view bytes() const;
  // What keeps the bytes alive beyond the Input, if they are those of a file and not in memory; else null.
  std::shared_ptr<const void> file() const;
  const std::string& name() const { return name_; }
  // The file's name without folder and compression ending, which determines the format.
  std::string base_name() const;

  // Says that bytes [begin, end) are not needed again, so that a memory map can release its pages. Never required.
  void release(std::size_t begin, std::size_t end) const;

  Where at_line(Index line, Index column = 0) const { return {.file = name_, .line = line, .column = column}; }
  // Lines that were emptied because their rows are bad (io/bad_rows.h); they are not worth a note.
  Index emptied_lines() const { return emptied_lines_; }
  void set_emptied_lines(Index lines) { emptied_lines_ = lines; }
  // The 1-based line of a byte; O(offset), for messages only.
  Index line_of(std::size_t offset) const;

 private:
  struct Body;
  Input(std::string name, std::shared_ptr<const Body> body);
  static Input keeping(std::string name, std::string bytes);
  std::string name_;
  Index emptied_lines_ = 0;
  std::shared_ptr<const Body> body_;
};

// Spreadsheets save UTF-16; what follows reads UTF-8. Throws Error if the text ends within a character.
std::string from_utf16(const std::string& name, std::string_view bytes);

// The most bytes that reading decompresses from one file: half of this machine's memory.
std::size_t largest_decompressed_size();

// `path` without a compression ending (.gz, .xz, .zst, .bz2).
std::string without_compression_ending(std::string_view path);

}  // namespace clade
