#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/delimited.h"

namespace clade {

// Records and fields of CSV text. A record ends at a line end outside quotes. A quote is special only at the start of a
// field: it opens a quoted field, in which delimiters and line ends are text and "" stands for one quote. Elsewhere a
// quote is an ordinary character.

// One field as it appears in the file.
struct CsvField {
  std::string_view raw;  // without the quotes around it; "" inside is still doubled
  bool quoted = false;
  bool closed = true;  // false: the quote is never closed, or something other than a delimiter follows it
};

// The end of the record that begins at `begin`: the position of its line end, or the end of the text.
std::size_t csv_record_end(std::string_view text, std::size_t begin, char delimiter);

// Is there a quote anywhere? Without one, records are lines.
bool has_csv_quotes(std::string_view text, Context& ctx);

// Cuts text[begin..] into chunks of about `target` bytes between records. If `has_quotes` is false, the text has no
// quotes, so that line ends alone decide.
std::vector<RowChunk> csv_chunks(std::string_view text, std::size_t begin, std::size_t target, char delimiter,
                                 bool has_quotes);

// Takes the next record, without its line end, off `rest`; `lines` becomes the number of line ends it spans.
std::string_view take_csv_record(std::string_view& rest, char delimiter, Index& lines);

// For whole lines of which only the first is known to begin inside quotes, or outside: does what follows them begin
// inside quotes?
bool ends_in_csv_quotes(std::string_view lines, bool begins_inside, char delimiter);
// Where the first record of lines begins that begin inside quotes; their end if none does.
std::size_t first_csv_record(std::string_view lines, char delimiter);

// The first `count` records of the text, or all of it.
std::string_view first_csv_records(std::string_view text, char delimiter, Index count);

// Counts the records of a chunk of `text` into its rows, lines and empty_lines.
void count_csv_records(std::string_view text, char delimiter, bool has_quotes, RowChunk& chunk);

// Takes the field at `at`, which moves to the delimiter after it or to `end`.
CsvField take_csv_field(const char*& at, const char* end, char delimiter);

// The number of fields of a record.
Index count_csv_fields(std::string_view record, char delimiter);

// The text of a field: an unquoted one without surrounding blanks, a quoted one with "" undone (in `scratch`).
std::string_view csv_field_text(const CsvField& field, std::string& scratch);

// Appends a text as one field, in quotes if it would not read back otherwise. `special` lists the characters that need
// them: at least the quote, line ends and the delimiter.
void append_csv_field(std::string& line, std::string_view text, std::string_view special);

}  // namespace clade
