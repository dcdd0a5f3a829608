#include "io/record_ranges.h"

#include <algorithm>

#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

// The first line that begins at `wanted` or later; the end of the text if none does. A line begins at 0.
std::size_t line_begin(std::string_view text, std::size_t wanted) {
  if (wanted == 0) return 0;
  const std::size_t line_end = wanted > text.size() ? std::string_view::npos : text.find('\n', wanted - 1);
  return line_end == std::string_view::npos ? text.size() : line_end + 1;
}

// What `ends_in_csv_quotes` says, where a delimiter of 0 stands for text without quotes.
bool ends_in_quotes(std::string_view lines, bool begins_inside, char delimiter) {
  return delimiter != '\0' && ends_in_csv_quotes(lines, begins_inside, delimiter);
}

}  // namespace

std::size_t range_begin(std::size_t begin, std::size_t size, Index number, Index count) {
  const std::size_t bytes = size - begin;
  const auto k = static_cast<std::size_t>(number);
  const auto n = static_cast<std::size_t>(count);
  return begin + bytes / n * k + bytes % n * k / n;  // bytes * k may be too large
}

RangeScan scan_range(std::string_view text, const TextRows& rows, Index number, Index count) {
  const auto begin_of = [&](Index k) {
    const std::size_t from_rows = range_begin(rows.begin, text.size(), k, count) - rows.begin;
    return rows.begin + line_begin(text.substr(rows.begin), from_rows);
  };
  RangeScan scan;
  scan.begin = begin_of(number);
  scan.end = number + 1 == count ? text.size() : begin_of(number + 1);
  const std::string_view lines = text.substr(scan.begin, scan.end - scan.begin);
  scan.lines = count_lines(lines);
  scan.first = scan.begin;
  if (rows.delimiter == '\0') return scan;
  scan.opens = ends_in_csv_quotes(lines, false, rows.delimiter);
  scan.stays = ends_in_csv_quotes(lines, true, rows.delimiter);
  const std::size_t before = first_csv_record(lines, rows.delimiter);
  scan.first = scan.begin + before;
  scan.lines_before = count_lines(lines.substr(0, before));
  return scan;
}

std::vector<RowRange> row_ranges(std::span<const RangeScan> scans, const TextRows& rows) {
  std::vector<RowRange> ranges;
  Index line = rows.line;
  bool is_inside = false;
  for (const RangeScan& scan : scans) {
    // If no row begins here, this is where the next line is, which may be inside quotes as well.
    ranges.push_back(
        {.begin = is_inside ? scan.first : scan.begin, .end = 0, .line = line + (is_inside ? scan.lines_before : 0)});
    is_inside = is_inside ? scan.stays : scan.opens;
    line += scan.lines;
  }
  std::size_t end = scans.back().end;
  for (std::size_t k = ranges.size(); k-- > 0;) {
    ranges[k].end = end;
    const bool has_none = ranges[k].begin == scans[k].end;
    if (has_none) ranges[k].begin = end;
    end = ranges[k].begin;
  }
  return ranges;
}

RangeTaker::RangeTaker(const TextRows& rows, std::size_t begin, std::size_t end)
    : all_(rows), begin_(begin), end_(end), lines_(rows.line - 1) {}

std::size_t RangeTaker::first_row(std::string_view lines, std::size_t begin) const {
  const std::size_t line = line_begin(lines, begin < seen_ ? 0 : begin - seen_);
  if (!ends_in_quotes(lines.substr(0, line), is_inside_quotes_, all_.delimiter)) return line;
  return line + first_csv_record(lines.substr(line), all_.delimiter);
}

void RangeTaker::add(std::string_view lines) {
  const std::size_t header = std::min(lines.size(), all_.begin - std::min(seen_, all_.begin));
  seen_ += header;
  lines.remove_prefix(header);
  if (lines.empty()) return;
  const std::size_t first = has_begun_ ? 0 : first_row(lines, begin_);
  const std::size_t last = first_row(lines, end_);
  if (!has_begun_ && first < lines.size()) {
    has_begun_ = true;
    first_line_ = lines_ + count_lines(lines.substr(0, first)) + 1;
  }
  if (has_begun_) rows_.append(lines.substr(first, last - first));
  is_done_ = last < lines.size();
  is_inside_quotes_ = ends_in_quotes(lines, is_inside_quotes_, all_.delimiter);
  seen_ += lines.size();
  lines_ += count_lines(lines);
}

}  // namespace clade
