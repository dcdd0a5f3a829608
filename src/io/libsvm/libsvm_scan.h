#pragma once

#include <clade/types.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace clade {

// The outline of LIBSVM lines: what the first pass of the reader counts, and what both passes must agree on.

inline bool is_libsvm_blank(char c) {
  return c == ' ' || c == '\t';
}
// Bytes that end a label or a value. A carriage return does so only before a line end, which the parser checks.
inline bool is_libsvm_separator(char c) {
  return is_libsvm_blank(c) || c == '\n' || c == '\r' || c == '#';
}

inline const char* skip_libsvm_blanks(const char* p, const char* end) {
  while (p != end && is_libsvm_blank(*p)) ++p;
  return p;
}

// What comes before a line's values.
struct LibsvmHead {
  std::string_view labels;  // "3,7"; empty: a sample without labels
  std::string_view query;   // "qid:5", or empty
  const char* rest;         // the first value, comment or line end, blanks skipped
  bool is_row;              // false: a blank or comment-only line
};

// Splits the head off the line that begins at `line`; [line, end) may extend beyond that line.
inline LibsvmHead split_libsvm_head(const char* line, const char* end) {
  LibsvmHead head{.labels = {}, .query = {}, .rest = line, .is_row = true};
  const char* p = line;
  while (p != end && *p != ':' && !is_libsvm_separator(*p)) ++p;
  if (p == end || *p != ':') head.rest = p;  // with a colon there is no label: the line starts with a value or "qid:"
  head.labels = {line, static_cast<std::size_t>(head.rest - line)};
  head.rest = skip_libsvm_blanks(head.rest, end);
  constexpr std::string_view kQuery = "qid:";
  if (end - head.rest >= 4 && std::memcmp(head.rest, kQuery.data(), kQuery.size()) == 0) {
    p = head.rest + kQuery.size();
    while (p != end && !is_libsvm_separator(*p)) ++p;
    head.query = {head.rest, static_cast<std::size_t>(p - head.rest)};
    head.rest = skip_libsvm_blanks(p, end);
  }
  const bool at_end = head.rest == end || *head.rest == '\n' || *head.rest == '\r' || *head.rest == '#';
  head.is_row = !(at_end && head.labels.empty() && head.query.empty());
  return head;
}

struct LibsvmShape {
  Index lines = 0;
  Index rows = 0;
  Index values = 0;

  LibsvmShape& operator+=(const LibsvmShape& other) {
    lines += other.lines;
    rows += other.rows;
    values += other.values;
    return *this;
  }
};

// Counts a chunk of whole lines. For well-formed text the counts are exact; for any other text they are never below
// what a parser that stops at the first error has found by then, and the values are never more than a quarter of the
// bytes.
LibsvmShape scan_libsvm(std::string_view chunk);

// The same, line by line: the reference, and the method for chunks with comments, blank lines or query ids.
LibsvmShape scan_libsvm_lines(std::string_view chunk);

}  // namespace clade
