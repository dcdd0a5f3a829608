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

class GrowingBytes;

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

  // The same for what was unpacked from a file.
  static Input from_unpacked(std::string name, GrowingBytes bytes);

  std::string_view bytes() const { return bytes_; }
  // What keeps the bytes alive beyond the Input, if they are those of a file and not in memory; else null.
  std::shared_ptr<const void> file() const;
  const std::string& name() const { return name_; }
  // The file's name without folder and compression ending, which determines the format.
  std::string base_name() const;

  // Bytes [begin, end), which begin at a line end or the beginning of the file, as an input of its own: messages name
  // the file and its lines, of which the first here has the number `first_line`.
  Input part(std::size_t begin, std::size_t end, Index first_line) const;
  // The same for bytes in memory that came from such a place.
  void begin_at_line(Index first_line) { first_line_ = first_line; }
  Index first_line() const { return first_line_; }

  // Says that bytes [begin, end) are not needed again, so that a memory map can release its pages. Never required.
  void release(std::size_t begin, std::size_t end) const;

  // The place of a line, which is counted from 1 here.
  Where at_line(Index line, Index column = 0) const {
    return {.file = name_, .line = line == 0 ? 0 : line + first_line_ - 1, .column = column};
  }
  // Lines that were emptied because their rows are bad (io/bad_rows.h); they are not worth a note.
  Index emptied_lines() const { return emptied_lines_; }
  void set_emptied_lines(Index lines) { emptied_lines_ = lines; }
  // The line of a byte, counted from 1 here; O(offset), for messages only.
  Index line_of(std::size_t offset) const;

 private:
  struct Body;
  Input(std::string name, std::shared_ptr<const Body> body);
  static Input keeping(std::string name, std::string bytes);
  std::string name_;
  Index emptied_lines_ = 0;
  Index first_line_ = 1;
  std::shared_ptr<const Body> body_;
  std::string_view bytes_;  // some or all of those of the body
};

// Spreadsheets save UTF-16; what follows reads UTF-8. Throws Error if the text ends within a character.
std::string from_utf16(const std::string& name, std::string_view bytes);

// The most bytes that reading decompresses from one file: half of this machine's memory.
std::size_t largest_decompressed_size();

// `path` without a compression ending (.gz, .xz, .zst, .bz2).
std::string without_compression_ending(std::string_view path);

}  // namespace clade
