#pragma once

#include <clade/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// A part of a text that begins and ends at line ends.
struct LineChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Cuts text[begin..] into chunks of about `target` bytes at line ends. The cuts depend on the text alone, so that
// parsing chunks in parallel gives the same result for any number of threads.
std::vector<LineChunk> line_chunks(std::string_view text, std::size_t begin, std::size_t target);

// The number of lines in a text; the last one counts even without a line end.
Index count_lines(std::string_view text);

// The next line of `rest` without its end (LF or CRLF); `rest` moves past it. Requires a non-empty `rest`.
std::string_view take_line(std::string_view& rest);

std::string_view trim(std::string_view text);

// The mark that some programs put before UTF-8 text.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
std::string_view without_byte_order_mark(std::string_view text);

// A piece of input for a message: shortened, with bytes that are not printable UTF-8 as \xNN.
std::string shown(std::string_view text);
// The same in quotes.
std::string quoted_name(std::string_view name);

// Is it well-formed UTF-8? Returns the offset of the first bad byte, or npos.
std::size_t first_invalid_utf8(std::string_view text);
std::string latin1_to_utf8(std::string_view text);
// Does the text begin with the byte order mark of UTF-16, as spreadsheets write it?
bool is_utf16(std::string_view text);
// UTF-16 with its mark as UTF-8 without one; halves of pairs and odd bytes become replacement characters.
std::string utf16_to_utf8(std::string_view text);

}  // namespace clade
