#include <fmt/core.h>

#include "io/bad_rows.h"
#include "io/columns/read_records.h"
#include "io/csv/csv.h"
#include "io/csv/csv_records.h"
#include "io/csv/csv_row_parser.h"
#include "io/csv/decimal_comma.h"

namespace clade {
namespace {

// What is wrong with the fields of a record, whatever they mean; nothing: it is well-formed.
std::string problem_of(const DelimitedText& text, std::string_view record, const CsvLayout& layout) {
  const char* at = record.data();
  const char* end = at + record.size();
  Index fields = 0;
  for (;; ++at) {
    if (!take_csv_field(at, end, layout.delimiter).closed) return "a quoted field is not closed, or text follows it";
    ++fields;
    if (at == end) break;
  }
  if (fields != layout.columns) {
    return fmt::format("{} column{} instead of {}", fields, fields == 1 ? "" : "s", layout.columns);
  }
  if (const char* bad = text.first_bad_byte(record); bad != end) {
    return fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(*bad));
  }
  return {};
}

// A bad record ends at its first line end, even within quotes: a quote that is never closed spoils one line, not the
// rest of the file.
RowCheck check_form(const DelimitedText& text, const CsvLayout& layout) {
  RowCheck check;
  std::string_view rest = text.text.substr(layout.data_begin);
  for (Index line = layout.data_line; !rest.empty();) {
    std::string_view first_line = rest;
    Index lines = 1;
    const std::string_view record = take_csv_record(rest, layout.delimiter, lines);
    if (!record.empty()) {
      const Index row = check.rows++;
      if (std::string problem = problem_of(text, record, layout); !problem.empty()) {
        check.bad.push_back({.row = row, .line = line, .lines = 1, .reason = std::move(problem)});
        take_line(first_line);
        rest = first_line;
        lines = 1;
      }
    }
    line += lines;
  }
  return check;
}

// Rows of numbers, labels and sample names.
template <class T>
std::vector<BadRow> bad_rows_of_numbers(const DelimitedText& text, const CsvLayout& layout) {
  std::vector<BadRow> bad;
  std::vector<std::string> name(1);
  const CsvRows rows{.text = text, .layout = layout, .label_separators = {}, .has_quotes = true, .sample_names = name};
  std::string_view rest = text.text.substr(layout.data_begin);
  Index row = 0;
  for (Index line = layout.data_line; !rest.empty();) {
    const std::size_t begin = text.text.size() - rest.size();
    Index lines = 1;
    const bool is_row = !take_csv_record(rest, layout.delimiter, lines).empty();
    const RowChunk chunk{.begin = begin, .end = text.text.size() - rest.size(), .ascii = false, .first_line = line};
    ChunkFindings ignored;
    try {
      CsvChunkParser<T>(rows, chunk, nullptr, ignored).parse();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      bad.push_back({.row = row, .line = line, .lines = lines, .reason = error.problem()});
    }
    line += lines;
    if (is_row) ++row;
  }
  return bad;
}

std::vector<BadRow> check_values(const Input& input, const ReadOptions& options, char delimiter, Context& ctx) {
  std::vector<std::string> ignored;
  const DelimitedText text = DelimitedText::of(input, options, "expected a header row or rows of numbers", ignored);
  const CsvLayout layout = read_csv_layout(text, options, delimiter, ignored);
  if (has_decimal_commas(text.text, layout.delimiter)) {
    return check_values(Input::from_bytes(input.name(), with_decimal_points(text.text, layout.delimiter)), options,
                        layout.delimiter, ctx);
  }
  if (layout.has_texts) return bad_records(csv_records(text, layout, ctx), options);
  return options.precision == Precision::kFloat ? bad_rows_of_numbers<float>(text, layout)
                                                : bad_rows_of_numbers<double>(text, layout);
}

RowCheck check_rows(const Input& input, const ReadOptions& options, char delimiter, Context& ctx) {
  std::vector<std::string> ignored;
  const DelimitedText text = DelimitedText::of(input, options, "expected a header row or rows of numbers", ignored);
  const CsvLayout layout = read_csv_layout(text, options, delimiter, ignored);
  RowCheck check = check_form(text, layout);
  if (check.rows == std::ssize(check.bad)) return check;
  const Input well_formed = Input::from_bytes(input.name(), without_lines(input.bytes(), check.bad, true));
  add_findings(check_values(well_formed, options, delimiter, ctx), check);
  return check;
}

}  // namespace

RowCheck check_csv_rows(const Input& input, const ReadOptions& options, Context& ctx) {
  return check_rows(input, options, '\0', ctx);
}

RowCheck check_tsv_rows(const Input& input, const ReadOptions& options, Context& ctx) {
  return check_rows(input, options, '\t', ctx);
}

}  // namespace clade
