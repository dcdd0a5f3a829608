#pragma once

#include <clade/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "io/format.h"
#include "io/growing_bytes.h"

namespace clade {

// The rows of one text for several readers, each of which looks at its own range of bytes alone. Their rows are those
// that begin in their range: all of them together are the rows of the text, each once and in order.
//
// Where lines are rows, a reader finds its first row by itself. In CSV, a line end inside quotes ends no row, and only
// all text before can tell what is inside. So each reader scans its range for both cases, and what they tell each other
// about it decides for all of them.

// Where range `number` of `count` begins, by bytes alone: about equal shares of the text from `begin` on.
std::size_t range_begin(std::size_t begin, std::size_t size, Index number, Index count);

// The lines that begin in a range.
struct RangeScan {
  std::size_t begin = 0;  // of the first line, and the end of the last
  std::size_t end = 0;
  Index lines = 0;
  bool opens = false;  // if the first line begins outside quotes, what follows the last begins inside
  bool stays = false;  // the same if the first line begins inside quotes
  // If the first line begins inside quotes: where the first row begins (`end` if none does), and the lines before it.
  std::size_t first = 0;
  Index lines_before = 0;
};

// A range of `text`, whose rows begin at rows.begin.
RangeScan scan_range(std::string_view text, const TextRows& rows, Index number, Index count);

// The rows of one reader, and the line of the text that begins there.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  Index line = 1;
};

// The scans are those of all ranges of a text, in order.
std::vector<RowRange> row_ranges(std::span<const RangeScan> scans, const TextRows& rows);

// Takes the rows of a range from a text that comes in pieces, from its beginning to its end.
class RangeTaker {
 public:
  // The rows that begin at the bytes from `begin` on, but before `end`.
  RangeTaker(const TextRows& rows, std::size_t begin, std::size_t end);

  // The next piece: whole lines.
  void add(std::string_view lines);
  // Nothing that follows belongs to the range.
  bool is_done() const { return is_done_; }

  // The line of the text that the rows begin with.
  Index first_line() const { return first_line_; }
  GrowingBytes take_rows() { return std::move(rows_); }

 private:
  // Where, in the next lines, the first row begins that begins there or later in the text; their end if none does.
  std::size_t first_row(std::string_view lines, std::size_t begin) const;

  TextRows all_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t seen_ = 0;  // bytes
  Index lines_;           // before what comes next
  bool is_inside_quotes_ = false;
  bool has_begun_ = false;
  bool is_done_ = false;
  Index first_line_ = 1;
  GrowingBytes rows_;
};

}  // namespace clade
