#include "io/libsvm/libsvm_scan.h"

#include <algorithm>
#include <cstring>

namespace clade {
namespace {

// Bytes side by side, as many as the vector registers of every common processor hold. Comparisons give 0 or -1 per
// byte.
constexpr std::size_t kLanes = 16;
using Lanes = signed char __attribute__((vector_size(kLanes)));
// A lane counts at most one per step and must not overflow.
constexpr std::size_t kStepsPerSum = 127;

struct Counts {
  Index lines = 0;
  Index colons = 0;
  bool plain = true;  // no comment, no blank line, no leading blank, no query id
};

Lanes load(const char* text) {
  Lanes lanes;
  std::memcpy(&lanes, text, kLanes);
  return lanes;
}

Lanes all(char c) {
  return Lanes{} + static_cast<signed char>(c);
}

Index sum(const Lanes& lanes) {
  Index total = 0;
  for (std::size_t k = 0; k < kLanes; ++k) total += lanes[k];
  return total;
}

// Adds the counts of text[0..steps * kLanes); text[-1] must be readable. Has no branches, so it runs as fast as memory.
void count_lanes(const char* text, std::size_t steps, Counts& counts) {
  Lanes lines{};
  Lanes colons{};
  Lanes odd{};
  for (std::size_t k = 0; k < steps; ++k) {
    const Lanes c = load(text + k * kLanes);
    const Lanes before = load(text + k * kLanes - 1);
    const Lanes newline = c == all('\n');
    const Lanes colon = c == all(':');
    const Lanes blank = (c == all(' ')) | (c == all('\t')) | (c == all('\r')) | newline;
    lines -= newline;
    colons -= colon;
    odd |= (c == all('#')) | (colon & (before == all('d'))) | (blank & (before == all('\n')));
  }
  counts.lines += sum(lines);
  counts.colons += sum(colons);
  counts.plain = counts.plain && sum(odd) == 0;
}

// The same for a text of any length.
Counts count(const char* text, std::size_t size) {
  Counts counts;
  while (size >= kLanes && counts.plain) {
    const std::size_t steps = std::min(size / kLanes, kStepsPerSum);
    count_lanes(text, steps, counts);
    text += steps * kLanes;
    size -= steps * kLanes;
  }
  for (; size > 0; ++text, --size) {
    const char c = *text;
    counts.lines += c == '\n' ? 1 : 0;
    counts.colons += c == ':' ? 1 : 0;
    const bool blank_line = text[-1] == '\n' && is_libsvm_separator(c);
    const bool query = text[-1] == 'd' && c == ':';
    counts.plain = counts.plain && c != '#' && !blank_line && !query;
  }
  return counts;
}

// A value takes three bytes and a separator, which only the last value of a file can lack.
Index most_values(std::size_t bytes) {
  return static_cast<Index>((bytes + 1) / 4);
}

}  // namespace

LibsvmShape scan_libsvm_lines(std::string_view chunk) {
  LibsvmShape shape;
  const char* end = chunk.data() + chunk.size();
  for (const char* line = chunk.data(); line != end;) {
    const LibsvmHead head = split_libsvm_head(line, end);
    const auto left = static_cast<std::size_t>(end - head.rest);
    const void* newline = left == 0 ? nullptr : std::memchr(head.rest, '\n', left);
    const char* line_end = newline == nullptr ? end : static_cast<const char*>(newline);
    ++shape.lines;
    if (head.is_row) {
      ++shape.rows;
      shape.values += std::count(head.rest, std::find(head.rest, line_end, '#'), ':');
    }
    line = newline == nullptr ? end : line_end + 1;
  }
  shape.values = std::min(shape.values, most_values(chunk.size()));
  return shape;
}

LibsvmShape scan_libsvm(std::string_view chunk) {
  if (chunk.empty() || is_libsvm_separator(chunk.front())) return scan_libsvm_lines(chunk);
  const Counts counts = count(chunk.data() + 1, chunk.size() - 1);
  if (!counts.plain) return scan_libsvm_lines(chunk);
  const Index lines = counts.lines + (chunk.back() == '\n' ? 0 : 1);
  const Index colons = counts.colons + (chunk.front() == ':' ? 1 : 0);
  return {.lines = lines, .rows = lines, .values = std::min(colons, most_values(chunk.size()))};
}

}  // namespace clade
