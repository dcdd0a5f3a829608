#include "io/matrix_market/matrix_market_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "io/lines.h"

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

// Exactly `count` numbers that are not negative.
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

// How many lines an array of this shape has.
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

}  // namespace clade
