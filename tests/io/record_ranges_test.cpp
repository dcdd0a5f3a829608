#include "io/record_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/random.h"

namespace clade {
namespace {

// Where records begin in text[begin..], one byte at a time; a delimiter of 0 makes every line one.
std::vector<std::size_t> record_begins(std::string_view text, std::size_t begin, char delimiter) {
  std::vector<std::size_t> begins;
  bool is_quoted = false;
  bool is_field_start = true;
  bool is_record_start = true;
  for (std::size_t k = begin; k < text.size(); ++k) {
    if (is_record_start) begins.push_back(k);
    is_record_start = false;
    const char c = text[k];
    if (is_quoted) {
      if (c != '"') continue;
      const bool is_doubled = k + 1 < text.size() && text[k + 1] == '"';
      if (is_doubled) ++k;
      is_quoted = is_doubled;
      is_field_start = false;
      continue;
    }
    is_quoted = delimiter != '\0' && c == '"' && is_field_start;
    is_record_start = c == '\n';
    is_field_start = c == '\n' || c == delimiter;
  }
  return begins;
}

Index line_of(std::string_view text, std::size_t at) {
  return static_cast<Index>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

std::string random_text(RandomStream& random, Index most) {
  constexpr std::string_view kLetters = "ab\"\",\n\n\r";
  std::string text;
  for (Index k = random.below(most); k > 0; --k) {
    text += kLetters[static_cast<std::size_t>(random.below(static_cast<Index>(kLetters.size())))];
  }
  return text;
}

// Whole lines, some together.
std::vector<std::string_view> pieces_of(std::string_view text, RandomStream& random) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (k + 1 < text.size() && (text[k] != '\n' || random.below(3) == 0)) continue;
    pieces.push_back(text.substr(begin, k + 1 - begin));
    begin = k + 1;
  }
  return pieces;
}

TEST(RecordRanges, AreTheRecordsOfTheWholeEachOnce) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const std::string text = random_text(random, repeat % 100 == 0 ? 300 : 30);
    const char delimiter = random.below(3) == 0 ? '\0' : ',';
    SCOPED_TRACE(delimiter + text);
    // Some records are a header.
    TextRows rows{.delimiter = delimiter};
    const std::vector<std::size_t> all = record_begins(text, 0, delimiter);
    if (!all.empty()) rows.begin = all[static_cast<std::size_t>(random.below(std::min<Index>(3, std::ssize(all))))];
    rows.line = line_of(text, rows.begin);
    const std::vector<std::size_t> begins = record_begins(text, rows.begin, delimiter);

    const Index count = 1 + random.below(9);
    std::vector<RangeScan> scans;
    for (Index k = 0; k < count; ++k) scans.push_back(scan_range(text, rows, k, count));
    const std::vector<RowRange> ranges = row_ranges(scans, rows);
    ASSERT_EQ(std::ssize(ranges), count);
    std::size_t at = rows.begin;
    for (Index k = 0; k < count; ++k) {
      const RowRange& range = ranges[static_cast<std::size_t>(k)];
      ASSERT_EQ(range.begin, at);
      at = range.end;
      const std::size_t from = range_begin(rows.begin, text.size(), k, count);
      const std::size_t to = range_begin(rows.begin, text.size(), k + 1, count);
      const auto first = std::ranges::lower_bound(begins, from);
      const auto behind = std::ranges::lower_bound(begins, to);
      const std::size_t end = behind == begins.end() ? text.size() : *behind;
      ASSERT_EQ(range.begin, first == begins.end() ? text.size() : *first);
      ASSERT_EQ(range.end, end);
      if (range.begin < range.end) {
        ASSERT_EQ(range.line, line_of(text, range.begin));
      }

      RangeTaker taker(rows, from, to);
      for (const std::string_view piece : pieces_of(text, random)) {
        if (!taker.is_done()) taker.add(piece);
      }
      ASSERT_EQ(taker.take_rows().view(), std::string_view(text).substr(range.begin, range.end - range.begin));
      if (range.begin < range.end) {
        ASSERT_EQ(taker.first_line(), range.line);
      }
    }
    ASSERT_EQ(at, text.size());
  }
}

TEST(RecordRanges, BeginsDoNotOverflow) {
  constexpr std::size_t kSize = std::size_t{1} << 62U;
  std::size_t before = 5;
  for (Index k = 0; k <= 1000; ++k) {
    const std::size_t begin = range_begin(5, kSize, k, 1000);
    ASSERT_LE(before, begin);
    ASSERT_LE(begin - before, kSize / 1000 + 1);
    before = begin;
  }
  EXPECT_EQ(before, kSize);
}

}  // namespace
}  // namespace clade
