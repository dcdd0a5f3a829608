// The rows of one text for several readers: whatever the bytes, they are the rows of the whole, each once, and a reader
// of a stream takes the same ones.

#include <algorithm>
#include <string_view>
#include <vector>

#include "array_fuzz.h"
#include "io/record_ranges.h"

namespace {

using clade::Index;
using clade::require;

// Where rows begin, one byte at a time.
std::vector<std::size_t> plain_begins(std::string_view text, const clade::TextRows& rows) {
  std::vector<std::size_t> begins;
  bool is_quoted = false;
  bool is_field_start = true;
  bool is_row_start = true;
  for (std::size_t k = rows.begin; k < text.size(); ++k) {
    if (is_row_start) begins.push_back(k);
    const char c = text[k];
    is_row_start = !is_quoted && c == '\n';
    if (!is_quoted) {
      is_quoted = rows.delimiter != '\0' && c == '"' && is_field_start;
      is_field_start = c == '\n' || c == rows.delimiter;
    } else if (c == '"') {
      is_quoted = k + 1 < text.size() && text[k + 1] == '"';
      if (is_quoted) ++k;
      is_field_start = false;
    }
  }
  return begins;
}

std::size_t row_from(const std::vector<std::size_t>& begins, std::size_t at, std::size_t end) {
  const auto found = std::ranges::lower_bound(begins, at);
  return found == begins.end() ? end : *found;
}

}  // namespace

// The first byte says how many readers there are, and whether there are quotes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  if (size == 0) return 0;
  const TextRows rows{.delimiter = (data[0] & 1U) != 0 ? ',' : '\0'};
  const Index count = 1 + (data[0] >> 1U) % 9;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::size_t> begins = plain_begins(text, rows);
  std::vector<RangeScan> scans;
  for (Index k = 0; k < count; ++k) scans.push_back(scan_range(text, rows, k, count));
  const std::vector<RowRange> ranges = row_ranges(scans, rows);
  for (Index k = 0; k < count; ++k) {
    const RowRange& own = ranges[static_cast<std::size_t>(k)];
    const std::size_t from = range_begin(rows.begin, text.size(), k, count);
    const std::size_t to = range_begin(rows.begin, text.size(), k + 1, count);
    require(own.begin == row_from(begins, from, text.size()) && own.end == row_from(begins, to, text.size()));
    const std::string_view before = text.substr(0, own.begin);
    require(own.begin == own.end || own.line == 1 + std::ranges::count(before, '\n'));
    RangeTaker taker(rows, from, to);
    for (std::size_t at = 0; at < text.size() && !taker.is_done();) {
      const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
      taker.add(text.substr(at, next - at));
      at = next;
    }
    require(taker.take_rows().view() == text.substr(own.begin, own.end - own.begin));
  }
  return 0;
}
