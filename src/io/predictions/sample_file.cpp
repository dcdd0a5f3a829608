#include "io/predictions/sample_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "io/lines.h"

namespace clade {
namespace {

// Small enough to give all threads work in files of a few megabytes.
constexpr std::size_t kSampleChunkBytes = 1U << 18U;

struct HeaderRow {
  std::string_view record;
  std::vector<std::string> names;
  const char* not_closed = nullptr;  // a field with unclosed quotes
};

HeaderRow take_header(std::string_view& rest, char delimiter) {
  HeaderRow row;
  Index lines = 0;
  row.record = take_csv_record(rest, delimiter, lines);
  const char* at = row.record.data();
  const char* end = at + row.record.size();
  std::string scratch;
  for (;; ++at) {
    const char* begin = at;
    const CsvField field = take_csv_field(at, end, delimiter);
    if (!field.closed && row.not_closed == nullptr) row.not_closed = begin;
    row.names.emplace_back(csv_field_text(field, scratch));
    if (at == end) return row;
  }
}

bool has_columns(const std::vector<std::string>& header, std::initializer_list<std::string_view> required) {
  return std::all_of(required.begin(), required.end(), [&](std::string_view name) {
    return std::any_of(header.begin(), header.end(),
                       [name](const std::string& column) { return equal_ignoring_case(column, name); });
  });
}

// The delimiter that gives the header all required columns, or else the one with more columns.
char guessed_delimiter(std::string_view text, std::initializer_list<std::string_view> required) {
  std::string_view by_commas = text;
  std::string_view by_tabs = text;
  const HeaderRow commas = take_header(by_commas, ',');
  if (has_columns(commas.names, required)) return ',';
  const HeaderRow tabs = take_header(by_tabs, '\t');
  return has_columns(tabs.names, required) || tabs.names.size() > commas.names.size() ? '\t' : ',';
}

std::string list_of(const std::vector<std::string>& header) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (const std::string& name : header) names.push_back(quoted_name(name));
  return short_list(names, kMost);
}

}  // namespace

SampleFile SampleFile::of(const Input& input, std::string_view form, std::initializer_list<std::string_view> required,
                          Context& ctx) {
  std::vector<std::string> ignored;
  const std::string expected = fmt::format("expected a header such as {}", form);
  SampleFile file{.text = DelimitedText::of(input, ReadOptions(), expected, ignored)};
  std::string_view rest = file.text.text;
  for (std::string_view next = rest; take_line(next).empty(); rest = next) ++file.header_line;
  file.text.refuse_bare_returns(rest, file.header_line);

  file.delimiter = guessed_delimiter(rest, required);
  HeaderRow header = take_header(rest, file.delimiter);
  const char* record = header.record.data();
  if (const char* bad = file.text.first_bad_byte(header.record); bad != record + header.record.size()) {
    file.refuse_byte(bad, record, file.header_line);
  }
  if (header.not_closed != nullptr) refuse_quotes(file.text.place(record, file.header_line, header.not_closed));
  file.header = std::move(header.names);
  for (const std::string_view name : required) {
    if (file.column(name) >= 0) continue;
    throw input_error(input.at_line(file.header_line),
                      fmt::format("no column is named '{}', only {}", name, list_of(file.header)), expected);
  }

  file.has_quotes = has_csv_quotes(file.text.text, ctx);
  const std::size_t begin = file.text.text.size() - rest.size();
  file.chunks = csv_chunks(file.text.text, begin, kSampleChunkBytes, file.delimiter, file.has_quotes);
  const Index first_line = count_lines(file.text.text.substr(0, begin)) + 1;
  file.rows = count_rows(ctx, file.text.text, file.chunks, first_line, [&](RowChunk& chunk) {
    count_csv_records(file.text.text, file.delimiter, file.has_quotes, chunk);
  });
  return file;
}

Index SampleFile::column(std::string_view lower_case) const {
  Index found = -1;
  for (Index k = 0; k < columns(); ++k) {
    if (!equal_ignoring_case(header[static_cast<std::size_t>(k)], lower_case)) continue;
    if (found >= 0) {
      throw input_error(text.input.at_line(header_line),
                        fmt::format("columns {} and {} are both named '{}'", found + 1, k + 1, lower_case),
                        "expected one of that name");
    }
    found = k;
  }
  return found;
}

Where SampleFile::at_row(Index row) const {
  const auto behind = std::upper_bound(chunks.begin(), chunks.end(), row,
                                       [](Index r, const RowChunk& chunk) { return r < chunk.first_row; });
  const RowChunk& chunk = *(behind - 1);
  std::string_view rest = chunk.of(text.text);
  Index line = chunk.first_line;
  for (Index at = chunk.first_row;;) {
    Index lines = 0;
    const std::string_view record = take_csv_record(rest, delimiter, lines);
    if (!record.empty() && at++ == row) return text.input.at_line(line);
    line += lines;
  }
}

void SampleFile::refuse_header_alone(const Dataset& data) const {
  if (rows > 0 || data.samples() == 0) return;
  throw input_error(text.input.at_line(header_line), "a header and no rows",
                    fmt::format("expected rows for the {} samples of the data", data.samples()));
}

void SampleFile::refuse_missing(const Dataset& data, std::string_view what, Index first, Index missing) const {
  const std::string others = missing == 1 ? "" : fmt::format(" and {} more", missing - 1);
  throw input_error(
      at_row(rows - 1),
      fmt::format("the file ends without a {} of sample '{}'{}", what, shown(data.sample_name(first)), others),
      fmt::format("expected all {} samples of the data", data.samples()));
}

void SampleFile::refuse_byte(const char* at, const char* from, Index line) const {
  throw input_error(text.place(from, line, at),
                    fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(*at)), "expected UTF-8 text");
}

void SampleFile::refuse_quotes(const Where& where) {
  throw input_error(where, "a quoted field is not closed, or text follows it",
                    "expected \" and then a delimiter or the end of the line");
}

}  // namespace clade
