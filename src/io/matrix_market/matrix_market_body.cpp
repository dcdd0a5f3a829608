#include "io/matrix_market/matrix_market_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"
#include "io/csr_builder.h"
#include "io/lines.h"
#include "io/matrix_checks.h"
#include "io/number.h"

namespace clade {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

std::vector<std::string> lower_case_words(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Field parse_field(const Input& input, const std::string& word) {
  if (word == "real") return Field::kReal;
  if (word == "integer" || word == "unsigned-integer") return Field::kInteger;
  if (word == "pattern") return Field::kPattern;
  throw input_error(input.at_line(1), fmt::format("values of kind '{}'", word), "expected real, integer or pattern");
}

Symmetry parse_symmetry(const Input& input, const std::string& word) {
  if (word == "general") return Symmetry::kGeneral;
  if (word == "symmetric") return Symmetry::kSymmetric;
  if (word == "skew-symmetric") return Symmetry::kSkewSymmetric;
  throw input_error(input.at_line(1), fmt::format("symmetry '{}'", word),
                    "expected general, symmetric or skew-symmetric");
}

void parse_banner(const Input& input, std::string_view line, MatrixMarketHeader& header) {
  constexpr std::size_t kMaxBanner = 1000;
  const std::vector<std::string> words = lower_case_words(line.substr(0, kMaxBanner));
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
    throw input_error(input.at_line(1), "not a Matrix Market file",
                      "expected a first line like %%MatrixMarket matrix coordinate real general");
  }
  if (words[2] != "coordinate" && words[2] != "array") {
    throw input_error(input.at_line(1), fmt::format("layout '{}'", words[2]), "expected coordinate or array");
  }
  header.coordinate = words[2] == "coordinate";
  header.field = parse_field(input, words[3]);
  header.symmetry = parse_symmetry(input, words[4]);
  if (header.field == Field::kPattern && (!header.coordinate || header.symmetry == Symmetry::kSkewSymmetric)) {
    throw input_error(input.at_line(1), fmt::format("a pattern cannot be {}", header.coordinate ? words[4] : words[2]),
                      "expected real or integer values");
  }
}

// Exactly `count` non-negative numbers.
bool parse_sizes(std::string_view line, std::size_t count, std::array<Index, 3>& sizes) {
  const std::vector<std::string> words = lower_case_words(line);
  if (words.size() != count) return false;
  for (std::size_t k = 0; k < count; ++k) {
    const char* end = words[k].data() + words[k].size();
    const auto [stop, error] = std::from_chars(words[k].data(), end, sizes[k]);
    if (error != std::errc() || stop != end || sizes[k] < 0) return false;
  }
  return true;
}

// The number of lines of an array of this shape.
Index array_entries(const Input& input, const MatrixMarketHeader& header) {
  Index cells = 0;
  if (__builtin_mul_overflow(header.rows, header.columns, &cells)) {
    throw input_error(input.at_line(header.size_line), fmt::format("{} x {} values", header.rows, header.columns),
                      "expected less than 2^63");
  }
  if (header.symmetry == Symmetry::kGeneral) return cells;
  const Index triangle = (cells - header.rows) / 2;  // below the diagonal
  return header.symmetry == Symmetry::kSymmetric ? triangle + header.rows : triangle;
}

void set_sizes(const Input& input, std::string_view line, MatrixMarketHeader& header) {
  constexpr std::size_t kMaxSizes = 200;
  std::array<Index, 3> sizes{};
  if (line.size() > kMaxSizes || !parse_sizes(line, header.coordinate ? 3 : 2, sizes)) {
    throw input_error(input.at_line(header.size_line), "no sizes",
                      header.coordinate ? "expected rows, columns and entries" : "expected rows and columns");
  }
  header.rows = sizes[0];
  header.columns = sizes[1];
  if (header.symmetry != Symmetry::kGeneral && header.rows != header.columns) {
    throw input_error(input.at_line(header.size_line),
                      fmt::format("a symmetric matrix of {} x {}", header.rows, header.columns),
                      "expected as many rows as columns");
  }
  header.entries = header.coordinate ? sizes[2] : array_entries(input, header);
}

}  // namespace

MatrixMarketHeader parse_matrix_market_header(const Input& input) {
  std::string_view rest = input.bytes();
  if (rest.empty()) {
    throw input_error(input.at_line(0), "empty file", "expected a first line that begins with %%MatrixMarket");
  }
  MatrixMarketHeader header;
  parse_banner(input, take_line(rest), header);
  for (header.size_line = 2; !rest.empty(); ++header.size_line) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty() || line.front() == '%') continue;
    set_sizes(input, line, header);
    header.body = input.bytes().size() - rest.size();
    return header;
  }
  throw input_error(input.at_line(header.size_line - 1), "the file ends before its sizes",
                    "expected a line with rows and columns");
}

namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr std::size_t kMatrixChunkBytes = 1U << 20U;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// One line of the body that is neither blank nor a comment.
struct EntryLine {
  const char* begin;  // first byte that is not blank
  const char* end;    // past the last byte that is not blank
};

// What the chunks of a body share.
struct Body {
  const Input& input;
  MatrixMarketHeader header;
  bool transposed;  // columns are samples
  std::vector<LineChunk> chunks;

  Index samples() const { return transposed ? header.columns : header.rows; }
  Index features() const { return transposed ? header.rows : header.columns; }
  Cell cell(Index row, Index column) const { return transposed ? Cell{column, row} : Cell{row, column}; }

  template <class Visit>
  void for_each_line(LineChunk chunk, Visit&& visit) const {
    const char* text = input.bytes().data();
    for (const char *p = text + chunk.begin, *end = text + chunk.end; p < end;) {
      const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      const char* stop = newline == nullptr ? end : newline;
      const char* next = newline == nullptr ? end : newline + 1;
      while (p < stop && is_blank(*p)) ++p;
      while (stop > p && is_blank(stop[-1])) --stop;
      if (p < stop && *p != '%') visit(EntryLine{p, stop});
      p = next;
    }
  }

  Where place(const char* at) const {
    const auto offset = static_cast<std::size_t>(at - input.bytes().data());
    // The body never begins on line 1, so there is a line end before it.
    const std::size_t line_end = input.bytes().rfind('\n', offset - 1);
    return input.at_line(input.line_of(offset), static_cast<Index>(offset - line_end));
  }
  [[noreturn]] void fail(const char* at, std::string_view problem, std::string_view expected) const {
    throw input_error(place(at), problem, expected);
  }
};

// What a chunk found besides its cells.
struct ChunkCounts {
  Index entries = 0;
  Index missing = 0;
  const char* first_missing = nullptr;
  Index inexact = 0;

  void append(const ChunkCounts& later) {
    entries += later.entries;
    missing += later.missing;
    if (first_missing == nullptr) first_missing = later.first_missing;
    inexact += later.inexact;
  }
};

// Runs work(chunk, counts) for all chunks and adds up their counts.
template <class Work>
ChunkCounts run_chunks(const Body& body, Context& ctx, Work&& work) {
  return parallel_reduce(
      ctx, std::ssize(body.chunks), 1, ChunkCounts{},
      [&](Index chunk, Index) {
        ChunkCounts counts;
        work(chunk, counts);
        return counts;
      },
      [](ChunkCounts& total, const ChunkCounts& part) { total.append(part); });
}

// A row or column number from 1 to `bound`, followed by a blank or the end; returns it counted from 0.
Index take_index(const Body& body, const EntryLine& line, const char*& p, Index bound, const char* what) {
  while (p < line.end && is_blank(*p)) ++p;
  Index index = 0;
  const auto [stop, error] = std::from_chars(p, line.end, index);
  const bool number = error != std::errc::invalid_argument && (stop == line.end || is_blank(*stop));
  if (!number) body.fail(p, fmt::format("no {}", what), "expected a number from 1");
  if (error != std::errc() || index < 1 || index > bound) {
    body.fail(p, fmt::format("{} {}", what, std::string_view(p, static_cast<std::size_t>(stop - p))),
              fmt::format("expected 1 to {}", bound));
  }
  p = stop;
  return index - 1;
}

Cell take_cell(const Body& body, const EntryLine& line, const char*& p) {
  const Index row = take_index(body, line, p, body.header.rows, "row");
  const Index column = take_index(body, line, p, body.header.columns, "column");
  if (row == column && body.header.symmetry == Symmetry::kSkewSymmetric) {
    body.fail(line.begin, "a value on the diagonal of a skew-symmetric matrix", "expected none");
  }
  return {row, column};
}

// The value that fills the line from `p` on.
template <class T>
T take_value(const Body& body, const EntryLine& line, const char* p, ChunkCounts& counts) {
  while (p < line.end && is_blank(*p)) ++p;
  double value = 0;
  const NumberResult result = parse_number(p, line.end, value);
  if (result.status == NumberStatus::kNotNumber || result.end != line.end) {
    body.fail(p, p == line.end ? "no value" : "not a number", "expected one value per entry");
  }
  if (result.status == NumberStatus::kMissing) {
    ++counts.missing;
    if (counts.first_missing == nullptr) counts.first_missing = p;
    return static_cast<T>(std::nan(""));
  }
  if (body.header.field == Field::kInteger) {
    const char* digits = *p == '-' || *p == '+' ? p + 1 : p;
    std::uint64_t magnitude = 0;
    const auto [stop, error] = std::from_chars(digits, line.end, magnitude);
    if (stop != line.end) body.fail(p, "not an integer", "expected what the first line says");
    if (error != std::errc() || !is_exact_in_double(magnitude)) ++counts.inexact;
  }
  const T stored = static_cast<T>(value);
  if (result.status == NumberStatus::kNotFinite || !std::isfinite(stored)) {
    body.fail(p, "infinite or too large a number", "expected finite numbers, or nan for a missing one");
  }
  return stored;
}

// The line of the n-th entry (from 0); for messages.
Index line_of_entry(const Body& body, Index n) {
  const char* found = nullptr;
  for (const LineChunk chunk : body.chunks) {
    body.for_each_line(chunk, [&](const EntryLine& line) {
      if (n-- == 0) found = line.begin;
    });
  }
  return body.input.line_of(static_cast<std::size_t>(found - body.input.bytes().data()));
}

void check_entry_count(const Body& body, Index found) {
  if (found == body.header.entries) return;
  const Index stated = body.header.entries;
  const Index line = found > stated ? line_of_entry(body, stated) : count_lines(body.input.bytes());
  throw input_error(body.input.at_line(line), fmt::format("{} entries", found),
                    fmt::format("expected {}, by the sizes in line {}", stated, body.header.size_line));
}

[[noreturn]] void fail_repeated(const Body& body, Cell repeated) {
  Index first_line = 0;
  for (const LineChunk chunk : body.chunks) {
    body.for_each_line(chunk, [&](const EntryLine& line) {
      const char* p = line.begin;
      const Cell stored = take_cell(body, line, p);
      const bool mirrored =
          body.header.symmetry != Symmetry::kGeneral && body.cell(stored.column, stored.row) == repeated;
      if (body.cell(stored.row, stored.column) != repeated && !mirrored) return;
      if (first_line > 0) {
        body.fail(line.begin,
                  fmt::format("row {}, column {} was given in line {} already", stored.row + 1, stored.column + 1,
                              first_line),
                  "expected each entry once");
      }
      first_line = body.input.line_of(static_cast<std::size_t>(line.begin - body.input.bytes().data()));
    });
  }
  CLADE_CHECK(false);
}

template <class T>
FeatureMatrix read_coordinates(const Body& body, ChunkCounts& counts, Context& ctx) {
  CsrBuilder<T> builder(body.samples(), body.features());
  const bool mirror = body.header.symmetry != Symmetry::kGeneral;
  const ChunkCounts counted = run_chunks(body, ctx, [&](Index chunk, ChunkCounts& part) {
    body.for_each_line(body.chunks[static_cast<std::size_t>(chunk)], [&](const EntryLine& line) {
      const char* p = line.begin;
      const Cell stored = take_cell(body, line, p);
      builder.count(body.cell(stored.row, stored.column).row);
      if (mirror && stored.row != stored.column) builder.count(body.cell(stored.column, stored.row).row);
      ++part.entries;
    });
  });
  check_entry_count(body, counted.entries);
  builder.allocate();
  const bool pattern = body.header.field == Field::kPattern;
  const T mirror_sign = body.header.symmetry == Symmetry::kSkewSymmetric ? T(-1) : T(1);
  const auto place = [&](Cell cell, T value) {
    builder.place(cell.row, static_cast<FeatureIndex>(cell.column), value);
  };
  counts = run_chunks(body, ctx, [&](Index chunk, ChunkCounts& part) {
    const LineChunk range = body.chunks[static_cast<std::size_t>(chunk)];
    body.for_each_line(range, [&](const EntryLine& line) {
      const char* p = line.begin;
      const Cell stored = take_cell(body, line, p);
      if (pattern && p != line.end) body.fail(p + 1, "a value in a pattern", "expected row and column alone");
      const T value = pattern ? T(1) : take_value<T>(body, line, p, part);
      place(body.cell(stored.row, stored.column), value);
      if (mirror && stored.row != stored.column) place(body.cell(stored.column, stored.row), mirror_sign * value);
    });
    body.input.release(range.begin, range.end);
  });
  std::optional<Cell> repeated;
  SparseMatrix<T> matrix = builder.finish(ctx, repeated);
  if (repeated) fail_repeated(body, *repeated);
  return matrix;
}

// Walks the stored cells of an array in file order: down the columns; for a symmetric one, only the lower triangle.
class ArrayWalk {
 public:
  ArrayWalk(const MatrixMarketHeader& header, Index position)
      : rows_(header.rows),
        triangle_(header.symmetry != Symmetry::kGeneral),
        skip_diagonal_(header.symmetry == Symmetry::kSkewSymmetric) {
    Index low = 0;
    Index high = header.columns;  // the column of `position` is in [low, high)
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (column_start(middle) <= position ? low : high) = middle;
    }
    cell_ = {first_row(low) + position - column_start(low), low};
  }

  Cell cell() const { return cell_; }
  void advance() {
    if (++cell_.row < rows_) return;
    ++cell_.column;
    cell_.row = first_row(cell_.column);
  }

 private:
  Index first_row(Index column) const { return triangle_ ? column + (skip_diagonal_ ? 1 : 0) : 0; }
  // The number of cells before a column: full columns minus the parts above their first rows.
  Index column_start(Index column) const {
    if (!triangle_) return column * rows_;
    return column * (skip_diagonal_ ? rows_ - 1 : rows_) - column * (column - 1) / 2;
  }

  Index rows_;
  bool triangle_;
  bool skip_diagonal_;
  Cell cell_;
};

template <class T>
FeatureMatrix read_array(const Body& body, ChunkCounts& counts, Context& ctx) {
  std::vector<Index> first_entry(body.chunks.size() + 1, 0);
  run_chunks(body, ctx, [&](Index chunk, ChunkCounts&) {
    Index& lines = first_entry[static_cast<std::size_t>(chunk) + 1];
    body.for_each_line(body.chunks[static_cast<std::size_t>(chunk)], [&](const EntryLine&) { ++lines; });
  });
  for (std::size_t k = 1; k < first_entry.size(); ++k) first_entry[k] += first_entry[k - 1];
  check_entry_count(body, first_entry.back());

  DenseMatrix<T> matrix{.rows = body.samples(), .columns = body.features(), .values = {}};
  matrix.values = Buffer<T>(matrix.rows * matrix.columns);
  const auto value_at = [&](Index row, Index column) -> T& {
    const Cell cell = body.cell(row, column);
    return matrix.values[cell.row * matrix.columns + cell.column];
  };
  const bool mirror = body.header.symmetry != Symmetry::kGeneral;
  const T mirror_sign = body.header.symmetry == Symmetry::kSkewSymmetric ? T(-1) : T(1);
  if (mirror) {
    for (Index k = 0; k < matrix.rows; ++k) value_at(k, k) = 0;
  }
  counts = run_chunks(body, ctx, [&](Index chunk, ChunkCounts& part) {
    const LineChunk range = body.chunks[static_cast<std::size_t>(chunk)];
    ArrayWalk walk(body.header, first_entry[static_cast<std::size_t>(chunk)]);
    body.for_each_line(range, [&](const EntryLine& line) {
      const auto [row, column] = walk.cell();
      const T value = take_value<T>(body, line, line.begin, part);
      value_at(row, column) = value;
      if (mirror && row != column) value_at(column, row) = mirror_sign * value;
      walk.advance();
    });
    body.input.release(range.begin, range.end);
  });
  return matrix;
}

template <class T>
FeatureMatrix read_body(const Body& body, ChunkCounts& counts, Context& ctx) {
  return body.header.coordinate ? read_coordinates<T>(body, counts, ctx) : read_array<T>(body, counts, ctx);
}

void check_sizes(const Body& body) {
  const Where where = body.input.at_line(body.header.size_line);
  if (body.features() > kMaxFeatures) {
    throw input_error(where, fmt::format("{} features", body.features()), "expected less than 2^31");
  }
  check_row_limit(body.samples(), body.input.bytes().size(), where);
}

}  // namespace

void set_matrix_market_features(ParsedData& data, const Input& input, const MatrixMarketHeader& header, bool transposed,
                                Precision precision, Context& ctx) {
  const Body body{input, header, transposed, line_chunks(input.bytes(), header.body, kMatrixChunkBytes)};
  check_sizes(body);
  ChunkCounts counts;
  data.features =
      precision == Precision::kFloat ? read_body<float>(body, counts, ctx) : read_body<double>(body, counts, ctx);
  data.missing_values = counts.missing;
  if (counts.missing > 0) data.first_missing = body.place(counts.first_missing);
  if (counts.inexact > 0)
    data.notes.push_back(fmt::format("{} integers are too long for a double and were rounded", counts.inexact));
}

}  // namespace clade
