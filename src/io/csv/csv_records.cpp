#include "io/csv/csv_records.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/parallel.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

// One chunk of rows, cell by cell.
class CsvCells {
 public:
  CsvCells(const DelimitedText& text, const CsvLayout& layout, const RowChunk& chunk)
      : text_(text), layout_(layout), chunk_(chunk), line_(chunk.first_line) {}

  void read(bool has_quotes) {
    std::string_view rest = chunk_.of(text_.text);
    while (!rest.empty()) {
      Index spanned = 1;
      const std::string_view record = has_quotes ? take_csv_record(rest, layout_.delimiter, spanned) : take_line(rest);
      if (const char* bad = text_.first_bad_byte(record); bad != record.data() + record.size()) {
        text_.refuse_byte(bad, record.data(), line_);
      }
      if (!record.empty()) read_record(record);
      line_ += spanned;
    }
  }

  std::vector<std::string_view> cells;
  std::vector<Index> lines;
  std::deque<std::string> storage;

 private:
  void read_record(std::string_view record) {
    const char* at = record.data();
    const char* end = at + record.size();
    Index fields = 0;
    for (;; ++at) {
      cells.push_back(cell(take_csv_field(at, end, layout_.delimiter)));
      ++fields;
      if (at == end) break;
    }
    if (fields != layout_.columns) {
      throw input_error(text_.input.at_line(line_), fmt::format("{} column{}", fields, fields == 1 ? "" : "s"),
                        fmt::format("expected {} as in the first row", layout_.columns));
    }
    lines.push_back(line_);
  }

  std::string_view cell(const CsvField& field) {
    if (!field.closed) {
      throw input_error(text_.input.at_line(line_), "a quoted field is not closed, or text follows it",
                        "expected \" and then a delimiter or the end of the line");
    }
    std::string unquoted;
    std::string decoded;
    const std::string_view value = trim(text_.decoded(csv_field_text(field, unquoted), decoded));
    if (is_missing_in_csv(value)) return {};
    const bool in_file = value.data() >= text_.text.data() && value.data() < text_.text.data() + text_.text.size();
    if (in_file) return value;
    return storage.emplace_back(value);
  }

  const DelimitedText& text_;
  const CsvLayout& layout_;
  const RowChunk& chunk_;
  Index line_;
};

// Columns are found by name: empty and repeated names get their number.
void make_unique(std::vector<std::string>& columns) {
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (trim(columns[k]).empty()) columns[k] = "column";
    if (columns[k] == "column" || seen.contains(columns[k])) columns[k] += fmt::format(" {}", k + 1);
    seen.insert(columns[k]);
  }
}

}  // namespace

CellTable csv_records(const DelimitedText& text, const CsvLayout& layout, Context& ctx) {
  const bool quotes = has_csv_quotes(text.text, ctx);
  std::vector<RowChunk> chunks = csv_chunks(text.text, layout.data_begin, kChunkBytes, layout.delimiter, quotes);
  count_rows(ctx, text.text, chunks, layout.data_line,
             [&](RowChunk& chunk) { count_csv_records(text.text, layout.delimiter, quotes, chunk); });
  CellTable records;
  records.file = text.input.name();
  records.columns = layout.names;
  records.columns.resize(static_cast<std::size_t>(layout.columns));
  make_unique(records.columns);
  records.list_columns.assign(records.columns.size(), '0');
  std::vector<CsvCells> parts;
  parts.reserve(chunks.size());
  for (const RowChunk& chunk : chunks) parts.emplace_back(text, layout, chunk);
  parallel_for(ctx, std::ssize(parts), 1, [&](Index k, Index) { parts[static_cast<std::size_t>(k)].read(quotes); });
  for (CsvCells& part : parts) {
    records.cells.insert(records.cells.end(), part.cells.begin(), part.cells.end());
    records.lines.insert(records.lines.end(), part.lines.begin(), part.lines.end());
    records.storage.push_back(std::move(part.storage));
  }
  return records;
}

}  // namespace clade
