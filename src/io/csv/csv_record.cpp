#include "io/csv/csv_record.h"

#include <algorithm>

#include "io/lines.h"

namespace clade {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr Index kQuoteScanGrain = 1 << 20;

// The first quote in text[from, end) that opens a field.
std::size_t opening_quote(std::string_view text, std::size_t from, std::size_t end, char delimiter) {
  for (std::size_t at = text.substr(0, end).find('"', from); at != kNone; at = text.substr(0, end).find('"', at + 1)) {
    if (at == 0 || text[at - 1] == delimiter || text[at - 1] == '\n') return at;
  }
  return kNone;
}

// The quote that closes a field whose text goes on at `from`, or kNone.
std::size_t closing_quote_from(std::string_view text, std::size_t from) {
  std::size_t at = text.find('"', from);
  while (at != kNone && at + 1 < text.size() && text[at + 1] == '"') at = text.find('"', at + 2);
  return at;
}

// The quote that closes the one at `open`, or kNone.
std::size_t closing_quote(std::string_view text, std::size_t open) {
  return closing_quote_from(text, open + 1);
}

std::size_t next_newline(std::string_view text, std::size_t from) {
  return std::min(text.find('\n', from), text.size());
}

// The first line end at or after `from` that is outside quotes. `scan` is outside quotes and not after `from`.
std::size_t newline_outside_quotes(std::string_view text, std::size_t scan, std::size_t from, char delimiter) {
  std::size_t newline = next_newline(text, from);
  for (;;) {
    const std::size_t quote = opening_quote(text, scan, newline, delimiter);
    if (quote == kNone) return newline;
    scan = closing_quote(text, quote);
    if (scan == kNone) return text.size();
    if (newline < ++scan) newline = next_newline(text, scan);
  }
}

}  // namespace

std::size_t csv_record_end(std::string_view text, std::size_t begin, char delimiter) {
  return newline_outside_quotes(text, begin, begin, delimiter);
}

bool has_csv_quotes(std::string_view text, Context& ctx) {
  return parallel_reduce(
             ctx, static_cast<Index>(text.size()), kQuoteScanGrain, 0,
             [&](Index begin, Index end) {
               const auto from = static_cast<std::size_t>(begin);
               return text.substr(from, static_cast<std::size_t>(end - begin)).find('"') != kNone ? 1 : 0;
             },
             [](int& any, int part) { any |= part; }) != 0;
}

std::vector<RowChunk> csv_chunks(std::string_view text, std::size_t begin, std::size_t target, char delimiter,
                                 bool has_quotes) {
  std::vector<RowChunk> chunks;
  if (!has_quotes) {
    for (const LineChunk& part : line_chunks(text, begin, target)) {
      chunks.push_back({.begin = part.begin, .end = part.end});
    }
    return chunks;
  }
  while (begin < text.size()) {
    const std::size_t from = std::min(text.size(), begin + target);
    const std::size_t end = std::min(text.size(), newline_outside_quotes(text, begin, from, delimiter) + 1);
    chunks.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return chunks;
}

std::string_view take_csv_record(std::string_view& rest, char delimiter, Index& lines) {
  const std::size_t end = csv_record_end(rest, 0, delimiter);
  std::string_view record = rest.substr(0, end);
  lines = static_cast<Index>(std::count(record.begin(), record.end(), '\n')) + 1;
  rest.remove_prefix(std::min(rest.size(), end + 1));
  if (record.ends_with('\r')) record.remove_suffix(1);
  return record;
}

bool ends_in_csv_quotes(std::string_view lines, bool begins_inside, char delimiter) {
  std::size_t close = begins_inside ? closing_quote_from(lines, 0) : kNone;
  if (begins_inside && close == kNone) return true;
  for (;;) {
    const std::size_t open = opening_quote(lines, close + 1, lines.size(), delimiter);  // kNone + 1 is 0
    if (open == kNone) return false;
    close = closing_quote(lines, open);
    if (close == kNone) return true;
  }
}

std::size_t first_csv_record(std::string_view lines, char delimiter) {
  const std::size_t close = closing_quote_from(lines, 0);
  if (close == kNone) return lines.size();
  return std::min(lines.size(), newline_outside_quotes(lines, close + 1, close + 1, delimiter) + 1);
}

std::string_view first_csv_records(std::string_view text, char delimiter, Index count) {
  std::string_view rest = text;
  Index lines = 0;
  for (Index k = 0; k < count && !rest.empty(); ++k) take_csv_record(rest, delimiter, lines);
  return text.substr(0, text.size() - rest.size());
}

void count_csv_records(std::string_view text, char delimiter, bool has_quotes, RowChunk& chunk) {
  std::string_view rest = chunk.of(text);
  while (!rest.empty()) {
    Index lines = 1;
    const std::string_view record = has_quotes ? take_csv_record(rest, delimiter, lines) : take_line(rest);
    chunk.lines += lines;
    ++(record.empty() ? chunk.empty_lines : chunk.rows);
  }
}

CsvField take_csv_field(const char*& at, const char* end, char delimiter) {
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (!rest.starts_with('"')) {
    const std::string_view raw = rest.substr(0, rest.find(delimiter));
    at += raw.size();
    return {.raw = raw};
  }
  const std::size_t close = closing_quote(rest, 0);
  const std::size_t behind = close == kNone ? rest.size() : close + 1;
  const bool closed = close != kNone && (behind == rest.size() || rest[behind] == delimiter);
  at += std::min(rest.size(), rest.find(delimiter, behind));
  return {.raw = rest.substr(1, closed ? close - 1 : kNone), .quoted = true, .closed = closed};
}

Index count_csv_fields(std::string_view record, char delimiter) {
  const char* at = record.data();
  const char* end = at + record.size();
  Index fields = 1;
  for (take_csv_field(at, end, delimiter); at != end; take_csv_field(++at, end, delimiter)) ++fields;
  return fields;
}

std::string_view csv_field_text(const CsvField& field, std::string& scratch) {
  if (!field.quoted) return trim(field.raw);
  if (field.raw.find('"') == kNone) return field.raw;
  scratch.clear();
  for (std::size_t k = 0; k < field.raw.size(); ++k) {
    scratch += field.raw[k];
    if (field.raw[k] == '"') ++k;
  }
  return scratch;
}

void append_csv_field(std::string& line, std::string_view text, std::string_view special) {
  const bool plain = text.find_first_of(special) == kNone && trim(text).size() == text.size();
  if (plain && !text.starts_with(kByteOrderMark)) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

}  // namespace clade
