#include "experiment/results_records.h"

#include <fmt/core.h>

#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

// The delimiter that splits the first row into the most fields.
char guessed_delimiter(std::string_view text) {
  constexpr std::string_view kCandidates = ",\t;";
  char best = ',';
  Index most = 1;
  for (const char candidate : kCandidates) {
    std::string_view rest = text;
    Index lines = 0;
    const Index fields = count_csv_fields(take_csv_record(rest, candidate, lines), candidate);
    if (fields <= most) continue;
    best = candidate;
    most = fields;
  }
  return best;
}

}  // namespace

ResultsRecords::ResultsRecords(const Input& input) : input_(input) {
  const std::size_t bad = first_invalid_utf8(input.bytes());
  if (bad != std::string_view::npos) {
    throw input_error(input.at_line(input.line_of(bad)), "a byte that is not UTF-8", "expected UTF-8 text");
  }
  rest_ = without_byte_order_mark(input.bytes());
  while (!rest_.empty() && trim(rest_.substr(0, rest_.find('\n'))).empty()) {
    take_line(rest_);
    ++line_;
  }
  delimiter_ = guessed_delimiter(rest_);
  if (!next(header_)) throw input_error(input.at_line(1), "empty file", "expected a header and results");
}

bool ResultsRecords::next(Record& record) {
  std::string_view text;
  Index lines = 0;
  do {
    line_ += lines;
    if (rest_.empty()) return false;
    text = take_csv_record(rest_, delimiter_, lines);
  } while (trim(text).empty());
  record.line = line_;
  record.fields.clear();
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    const CsvField field = take_csv_field(at, end, delimiter_);
    if (!field.closed) {
      throw input_error(input_.at_line(line_), "a quoted field is not closed, or text follows it",
                        "expected \" and then a delimiter or the end of the line");
    }
    std::string scratch;
    record.fields.emplace_back(trim(csv_field_text(field, scratch)));
    if (at == end) break;
    ++at;
  }
  const std::size_t expected = header_.fields.size();
  if (record.fields.size() != expected) {
    throw input_error(input_.at_line(line_), fmt::format("{} fields", record.fields.size()),
                      fmt::format("expected {}, as in the header", expected));
  }
  line_ += lines;
  return true;
}

}  // namespace clade
