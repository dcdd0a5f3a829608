#pragma once

#include <fmt/core.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {

// What is the same for every row of a file.
struct CsvRows {
  const DelimitedText& text;
  const CsvLayout& layout;
  std::string_view label_separators;
  bool has_quotes;
  std::vector<std::string>& sample_names;
};

// Parses the rows of one chunk into `values`, which has room for all rows of the file. If it is null, each row goes to
// a scratch row: the file has too few bytes for that many values, so some row is too short, and parsing finds it.
template <class T>
class CsvChunkParser {
 public:
  CsvChunkParser(const CsvRows& rows, const RowChunk& chunk, T* values, ChunkFindings& found)
      : rows_(rows),
        layout_(rows.layout),
        chunk_(chunk),
        found_(found),
        values_(values),
        text_end_(rows.text.text.data() + rows.text.text.size()),
        line_(chunk.first_line),
        row_(chunk.first_row) {
    if (values == nullptr) scratch_row_.resize(static_cast<std::size_t>(layout_.features()));
  }

  void parse() {
    std::string_view rest = chunk_.of(rows_.text.text);
    const char* bad = chunk_.ascii ? rest.data() + rest.size() : rows_.text.first_bad_byte(rest);
    while (!rest.empty()) {
      Index lines = 1;
      const std::string_view record =
          rows_.has_quotes ? take_csv_record(rest, layout_.delimiter, lines) : take_line(rest);
      if (bad < record.data() + record.size()) rows_.text.refuse_byte(bad, chunk_start(), chunk_.first_line);
      if (!record.empty()) parse_record(record);
      line_ += lines;
    }
  }

 private:
  void parse_record(std::string_view record) {
    record_ = record;
    const char* at = record.data();
    const char* end = at + record.size();
    T* out = values_ != nullptr ? values_ + row_ * layout_.features() : scratch_row_.data();
    for (Index column = 0;; ++column) {
      if (column == layout_.label) {
        parse_labels(text_field(at, end));
      } else if (layout_.is_ignored(column)) {
        take_field(at, end);
      } else if (column == layout_.sample) {
        rows_.sample_names[static_cast<std::size_t>(row_)] = text_field(at, end);
      } else {
        at = parse_value(at, end, column, *out++);
      }
      const bool last = column + 1 == layout_.columns;
      if (at == end && last) break;
      if (at == end || last) refuse_column_count();
      ++at;
    }
    found_.labels.end_sample();
    ++row_;
  }

  // Returns where the field ends. No number crosses a line end, so the parser gets the rest of the text: it is faster
  // if it can look ahead.
  const char* parse_value(const char* at, const char* end, Index column, T& value) {
    const NumberResult result = parse_number(at, text_end_, value);
    if (result.status == NumberStatus::kOk && (result.end == end || *result.end == layout_.delimiter)) {
      return result.end;
    }
    return parse_odd_value(at, end, column, value);
  }

  // Blanks, quotes, missing values and errors.
  const char* parse_odd_value(const char* at, const char* end, Index column, T& value) {
    const char* begin = at;
    const CsvField field = take_field(at, end);
    const std::string_view text = trim(field.raw);
    const NumberStatus status = parse_whole(text, value);
    if (status == NumberStatus::kMissing || is_missing_in_csv(text)) {
      value = std::numeric_limits<T>::quiet_NaN();
      if (found_.missing++ == 0) found_.first_missing = place(begin);
    } else if (status == NumberStatus::kNotNumber) {
      check_column_count();
      throw input_error(place(begin), fmt::format("'{}' in column {} is not a number", shown(text), name(column)),
                        "expected a number, or nothing, ?, NA, NaN or null for a missing value");
    } else if (status == NumberStatus::kNotFinite) {
      check_column_count();
      throw input_error(place(begin), fmt::format("'{}' in column {} is not finite", shown(text), name(column)),
                        fmt::format("expected a number of magnitude at most {:.4g}", std::numeric_limits<T>::max()));
    }
    return at;
  }

  CsvField take_field(const char*& at, const char* end) {
    const char* begin = at;
    const CsvField field = take_csv_field(at, end, layout_.delimiter);
    if (!field.closed) {
      throw input_error(place(begin), "a quoted field is not closed, or text follows it",
                        "expected \" and then a delimiter or the end of the line");
    }
    return field;
  }

  std::string_view text_field(const char*& at, const char* end) {
    return rows_.text.decoded(csv_field_text(take_field(at, end), unquoted_), decoded_);
  }

  void parse_labels(std::string_view names) {
    if (trim(names).empty()) return;
    for (;;) {
      const std::size_t cut = names.find_first_of(rows_.label_separators);
      const std::string_view name = trim(names.substr(0, cut));
      if (name.empty()) {
        ++found_.empty_labels;
      } else {
        found_.labels.add(name, line_);
      }
      if (cut == std::string_view::npos) return;
      names.remove_prefix(cut + 1);
    }
  }

  void check_column_count() const {
    if (count_csv_fields(record_, layout_.delimiter) != layout_.columns) refuse_column_count();
  }
  [[noreturn]] void refuse_column_count() const {
    const Index found = count_csv_fields(record_, layout_.delimiter);
    throw input_error(rows_.text.input.at_line(line_), fmt::format("{} column{}", found, found == 1 ? "" : "s"),
                      fmt::format("expected {} as in the first row", layout_.columns));
  }

  const char* chunk_start() const { return rows_.text.text.data() + chunk_.begin; }
  Where place(const char* at) const { return rows_.text.place(chunk_start(), chunk_.first_line, at); }
  std::string name(Index column) const { return layout_.column_name(column); }

  const CsvRows& rows_;
  const CsvLayout& layout_;
  const RowChunk& chunk_;
  ChunkFindings& found_;
  T* values_;
  std::vector<T> scratch_row_;
  const char* text_end_;
  Index line_;
  Index row_;
  std::string_view record_;
  std::string unquoted_;
  std::string decoded_;
};

}  // namespace clade
