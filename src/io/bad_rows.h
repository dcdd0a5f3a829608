#pragma once

#include <clade/context.h>
#include <clade/io.h>

#include <string>
#include <vector>

#include "io/format.h"
#include "io/input.h"

namespace clade {

// Rows that cannot be read, left out if ReadOptions::skip_bad or bad_rows ask for it.
//
// A format that knows rows checks them before they are read (DataFormat::check_rows), by the same code that reads them.
// What is then read is the text without the bad rows, in which their lines are empty so that lines keep their numbers.
// Without the option nothing of this happens.

bool skips_bad_rows(const ReadOptions& options);

// Throws Error (kInput) if rows of the format cannot be left out, or if the file for the list is the data itself, or
// exists and is no such list.
void check_skipping(const std::string& path, const DataFormat& format, const ReadOptions& options);

struct GoodRows {
  Input input;
  Index rows = 0;  // good and bad; 0 if bad rows are not asked for
  std::vector<BadRow> bad;

  bool are_all_bad() const { return rows > 0 && rows == std::ssize(bad); }
};

// The input itself unless bad rows are to be left out. Does not mind if all rows are bad.
GoodRows good_rows(const Input& input, const DataFormat& format, const ReadOptions& options, Context& ctx);

// The text without the lines of bad rows, which are in the order of their lines. The ends of the lines stay if
// `keeps_ends`, so that other lines keep their numbers.
std::string without_lines(std::string_view text, const std::vector<BadRow>& bad, bool keeps_ends);

// The error if all rows are bad.
Error no_good_row(const std::string& file, const std::vector<BadRow>& bad);

// One line about them, with the first three; they must not be empty.
std::string bad_rows_note(const std::string& file, const std::vector<BadRow>& bad);
// Writes them to options.bad_rows, if it is given.
void write_bad_rows(const std::string& file, const std::vector<BadRow>& bad, const ReadOptions& options);

}  // namespace clade
