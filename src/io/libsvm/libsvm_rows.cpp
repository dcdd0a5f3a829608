#include "io/libsvm/libsvm_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/decimal.h"
#include "io/labels/label_cache.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/number.h"

namespace clade {
namespace {

// The largest index a file may state: the column count then fits FeatureIndex, whether indices start at 0 or 1.
constexpr Index kLargestIndex = kMaxFeatures - 1;

// How far the fast path may read from the start of an index:value pair: a block of digits, a colon, the value.
constexpr std::ptrdiff_t kPairReach = kDigitBlock + 1 + kDecimalReach;

template <class T>
class ChunkParser {
 public:
  ChunkParser(const Input& input, LineChunk chunk, Index first_line, Index rows, const ReadOptions& options,
              const LibsvmTarget<T>& target)
      : input_(input),
        begin_(input.bytes().data() + chunk.begin),
        end_(input.bytes().data() + chunk.end),
        input_end_(input.bytes().data() + input.bytes().size()),
        base_(options.zero_based ? 0 : 1),
        columns_(options.features > 0 ? options.features : kLargestIndex + 1 - base_),
        sort_(options.sort_features),
        line_(first_line),
        target_(target),
        cache_(found_.labels, rows) {
    found_.labels.reserve(rows, rows);
  }

  LibsvmChunk parse() && {
    for (const char* p = begin_; p != end_; ++line_) p = parse_line(p);
    return std::move(found_);
  }

 private:
  struct Pair {
    const char* end;
    FeatureIndex column;
    T value;
  };

  // Returns the start of the next line.
  const char* parse_line(const char* p) {
    line_begin_ = p;
    const LibsvmHead head = split_libsvm_head(p, end_);
    if (!head.is_row) return skip_line_end(head.rest);
    if (!head.labels.empty()) add_labels(head.labels);
    found_.labels.end_sample();
    if (!head.query.empty()) skip_query(head.query);
    p = parse_values(head.rest);
    target_.row_ends[found_.rows++] = target_.first_value + found_.values;
    return skip_line_end(p);
  }

  const char* skip_line_end(const char* p) const {
    if (p != end_ && *p == '#') {
      const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      p = newline == nullptr ? end_ : static_cast<const char*>(newline);
    }
    if (p != end_ && *p == '\r') {
      ++p;
      if (p != end_ && *p != '\n') throw error(p - 1, "carriage return inside a line", "expected LF or CRLF line ends");
    }
    return p == end_ ? p : p + 1;
  }

  void add_labels(std::string_view list) {
    for (;;) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const std::string_view name = list.substr(0, comma);
      found_.labels.add(cache_.number(name, line_, [&] { check_label(name); }));
      if (comma == list.size()) return;
      list.remove_prefix(comma + 1);
    }
  }

  void check_label(std::string_view name) const {
    if (name.empty()) throw error(name.begin(), "empty label", "expected names with single commas between them");
    const std::size_t bad = first_invalid_utf8(name);
    if (bad != std::string_view::npos) {
      throw error(name.begin() + bad, fmt::format("label '{}' is not UTF-8", shown(name)), "expected UTF-8 text");
    }
    const auto* control = std::find_if(name.begin(), name.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (control != name.end()) {
      throw error(control, fmt::format("control character in label '{}'", shown(name)), "expected text");
    }
  }

  void skip_query(std::string_view query) {
    const std::string_view number = query.substr(query.find(':') + 1);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) {
      throw error(query.begin(), fmt::format("query id '{}'", shown(query)), "expected qid: and a whole number");
    }
    ++found_.queries;
  }

  // Parses the values of a row, starting at the first; returns where the row ends.
  const char* parse_values(const char* p) {
    FeatureIndex* indices = target_.indices + found_.values;
    T* values = target_.values + found_.values;
    FeatureIndex* const first = indices;
    FeatureIndex previous = -1;
    int index_length = 1;
    unsorted_ = false;
    for (;;) {
      Pair pair;
      if (!parse_pair_fast(p, previous, index_length, pair)) {
        p = skip_libsvm_blanks(p, end_);
        if (p == end_ || is_libsvm_separator(*p)) break;
        pair = parse_pair(p, previous);
      }
      *indices++ = previous = pair.column;
      *values++ = pair.value;
      p = pair.end + (pair.end != end_ && *pair.end == ' ' ? 1 : 0);
    }
    const Index count = indices - first;
    if (unsorted_) sort_row(count);
    if (count > 0) found_.largest = std::max(found_.largest, first[count - 1]);
    found_.values += count;
    return p;
  }

  // The common kind of pair: an ascending index of at most 7 digits and a short decimal. False: another kind.
  // `index_length` is that of the previous pair. Indices ascend, so it seldom changes, and the processor can start on
  // the value before it has found the end of the index.
  bool parse_pair_fast(const char* p, FeatureIndex previous, int& index_length, Pair& pair) const {
    if (input_end_ - p < kPairReach) return false;
    const DigitRun index = read_digits(p);
    if (p[index_length] != ':') {
      if (p[index.length] != ':' || index.length == 0 || index.length == kDigitBlock) return false;
      index_length = index.length;
    }
    double value = 0;
    pair.end = parse_short_decimal(p + index_length + 1, value);
    if (index.length != index_length || pair.end == nullptr || !is_libsvm_separator(*pair.end)) return false;
    if constexpr (sizeof(T) < sizeof(double)) {
      if (!rounds_once(value)) return false;
    }
    pair.value = static_cast<T>(value);
    pair.column = static_cast<FeatureIndex>(index.value) - base_;
    return pair.column > previous && pair.column < columns_;
  }

  Pair parse_pair(const char* p, FeatureIndex previous) {
    const char* colon = p;
    while (colon != end_ && *colon != ':' && !is_libsvm_separator(*colon)) ++colon;
    if (colon == end_ || *colon != ':') {
      throw error(p, fmt::format("'{}' is no index:value pair", shown({p, colon})), "expected for instance 3:0.5");
    }
    Pair pair{};
    pair.column = parse_index(p, colon);
    if (pair.column <= previous) check_order(p, pair.column, previous);
    pair.end = parse_value(p, colon + 1, pair.value);
    return pair;
  }

  FeatureIndex parse_index(const char* p, const char* colon) const {
    Index index = 0;
    const auto [stop, failure] = std::from_chars(p, colon, index);
    const std::string_view text(p, static_cast<std::size_t>(colon - p));
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits) {
      throw error(p, fmt::format("feature index '{}'", shown(text)),
                  p == line_begin_ ? "expected a whole number (a label has no colon)" : "expected a whole number");
    }
    if (failure != std::errc() || index > kLargestIndex) {
      throw error(p, fmt::format("index {}", text.substr(0, 40)), fmt::format("expected at most {}", kLargestIndex));
    }
    if (index == 0 && base_ == 1) throw error(p, "index 0", "indices start at 1 (use `zero-based`)");
    if (index - base_ >= columns_) {
      throw error(p, fmt::format("index {}", index),
                  fmt::format("expected at most {} (`feature-count`)", columns_ - 1 + base_));
    }
    return static_cast<FeatureIndex>(index - base_);
  }

  void check_order(const char* p, FeatureIndex column, FeatureIndex previous) {
    if (column == previous) throw repeated(p, column);
    if (!sort_) {
      throw error(p, fmt::format("index {} after {}", Index{column} + base_, Index{previous} + base_),
                  "expected ascending indices (use `sort-features`)");
    }
    unsorted_ = true;
  }

  const char* parse_value(const char* pair, const char* text, T& value) {
    const NumberResult result = parse_number(text, end_, value);
    const bool whole = result.end == end_ || is_libsvm_separator(*result.end);
    if (!whole || result.status == NumberStatus::kNotNumber) throw bad_value(pair, text, "expected a number");
    if (result.status == NumberStatus::kNotFinite) throw bad_value(pair, text, "expected a finite number");
    if (result.status == NumberStatus::kMissing && found_.missing++ == 0) found_.first_missing = at(text);
    return result.end;
  }

  void sort_row(Index count) {
    FeatureIndex* indices = target_.indices + found_.values;
    T* values = target_.values + found_.values;
    row_.clear();
    for (Index k = 0; k < count; ++k) row_.emplace_back(indices[k], values[k]);
    std::sort(row_.begin(), row_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (Index k = 0; k < count; ++k) std::tie(indices[k], values[k]) = row_[static_cast<std::size_t>(k)];
    if (std::adjacent_find(indices, indices + count) != indices + count) throw first_repeated();
    ++found_.sorted_rows;
  }

  // The error for a row that is known to contain some index twice.
  Error first_repeated() const {
    std::unordered_set<FeatureIndex> seen;
    const char* p = split_libsvm_head(line_begin_, end_).rest;
    for (;;) {
      const FeatureIndex column = parse_index(p, std::find(p, end_, ':'));
      if (!seen.insert(column).second) return repeated(p, column);
      while (!is_libsvm_separator(*p)) ++p;
      p = skip_libsvm_blanks(p, end_);
    }
  }

  Error repeated(const char* p, FeatureIndex column) const {
    return error(p, fmt::format("index {} twice in one row", Index{column} + base_), "expected each index once");
  }

  Error bad_value(const char* pair, const char* text, std::string_view expected) const {
    const char* stop = std::find_if(text, end_, is_libsvm_separator);
    const std::string_view index(pair, static_cast<std::size_t>(text - 1 - pair));
    if (stop == text) return error(text, fmt::format("no value at index {}", index), expected);
    return error(text, fmt::format("value '{}' at index {}", shown({text, stop}), index), expected);
  }

  Where at(const char* p) const { return input_.at_line(line_, p - line_begin_ + 1); }
  Error error(const char* p, std::string_view problem, std::string_view expected) const {
    return input_error(at(p), problem, expected);
  }

  const Input& input_;
  const char* begin_;
  const char* end_;        // of the chunk
  const char* input_end_;  // of the whole input
  FeatureIndex base_;      // the index of column 0
  Index columns_;          // columns must be below this
  bool sort_;

  Index line_;
  const char* line_begin_ = nullptr;
  bool unsorted_ = false;  // the current row needs sorting
  std::vector<std::pair<FeatureIndex, T>> row_;

  LibsvmTarget<T> target_;
  LibsvmChunk found_;
  LabelCache cache_;
};

}  // namespace

template <class T>
LibsvmChunk parse_libsvm_chunk(const Input& input, LineChunk chunk, Index first_line, Index rows,
                               const ReadOptions& options, const LibsvmTarget<T>& target) {
  return ChunkParser<T>(input, chunk, first_line, rows, options, target).parse();
}

template LibsvmChunk parse_libsvm_chunk(const Input&, LineChunk, Index, Index, const ReadOptions&,
                                        const LibsvmTarget<float>&);
template LibsvmChunk parse_libsvm_chunk(const Input&, LineChunk, Index, Index, const ReadOptions&,
                                        const LibsvmTarget<double>&);

}  // namespace clade
