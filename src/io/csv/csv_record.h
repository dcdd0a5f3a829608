#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/delimited.h"

namespace clade {

// Records and fields of CSV text. A record ends at a line end outside quotes. A quote has a meaning only at the start
// of a field; there it opens a quoted field, in which delimiters and line ends are text and "" stands for one quote.
// Elsewhere a quote is an ordinary character.

// One field as it stands in the file.
struct CsvField {
  std::string_view raw;  // without the quotes around it; "" inside is still doubled
  bool quoted = false;
  bool closed = true;  // false: the quote is never closed, or something other than a delimiter follows it
};

// The end of the record that begins at `begin`: where its line end stands, or the end of the text.
std::size_t csv_record_end(std::string_view text, std::size_t begin, char delimiter);

// Cuts text[begin..] into chunks of about `target` bytes between records. `has_quotes` false promises that there is no
// quote in the text, so that line ends alone decide.
std::vector<RowChunk> csv_chunks(std::string_view text, std::size_t begin, std::size_t target, char delimiter,
                                 bool has_quotes);

// Takes the next record without its line end off `rest`; `lines` becomes the number of line ends it covers.
std::string_view take_csv_record(std::string_view& rest, char delimiter, Index& lines);

// Takes the field at `at`, which moves to the delimiter behind it or to `end`.
CsvField take_csv_field(const char*& at, const char* end, char delimiter);

// The number of fields of a record.
Index count_csv_fields(std::string_view record, char delimiter);

// The text of a field: an unquoted one without blanks around it, a quoted one with "" undone (in `scratch`).
std::string_view csv_field_text(const CsvField& field, std::string& scratch);

}  // namespace clade
