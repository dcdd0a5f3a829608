#pragma once

#include <clade/dataset.h>
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/arff/arff_header.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {

// Where the values of dense rows go: straight into the matrix.
template <class T>
class DenseRows {
 public:
  using Value = T;
  DenseRows(T* values, Index columns, Index first_row) : next_(values + first_row * columns), columns_(columns) {}

  void begin_row() {
    row_ = next_;
    next_ += columns_;
  }
  void number(FeatureIndex column, T value) { row_[column] = value; }
  void stated_number(FeatureIndex column, T value) { row_[column] = value; }
  void one_of(const ArffAttribute& nominal, Index value) {
    std::fill_n(row_ + nominal.first_column, nominal.columns, T(0));
    row_[nominal.first_column + value] = 1;
  }
  void end_row() {}
  std::size_t bytes() const { return 0; }

 private:
  T* next_;
  T* row_ = nullptr;
  Index columns_;
};

// Where the values of a chunk go if the matrix is sparse: into arrays of the chunk, which are joined at the end.
template <class T>
class SparseRows {
 public:
  using Value = T;
  SparseRows() = default;
  // Room for one value per comma and row, so that arrays rarely grow.
  SparseRows(std::string_view text, Index rows) {
    const auto values = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',') + rows);
    indices_.reserve(values);
    values_.reserve(values);
    row_ends_.reserve(static_cast<std::size_t>(rows));
  }

  void begin_row() {}
  void end_row() { row_ends_.push_back(static_cast<Index>(indices_.size())); }
  void number(FeatureIndex column, T value) {
    if (value != 0) stated_number(column, value);
  }
  // A zero that a sparse row states is kept.
  void stated_number(FeatureIndex column, T value) {
    indices_.push_back(column);
    values_.push_back(value);
  }
  void one_of(const ArffAttribute& nominal, Index value) {
    stated_number(nominal.first_column + static_cast<FeatureIndex>(value), 1);
  }

  std::size_t bytes() const { return indices_.size() * (sizeof(FeatureIndex) + sizeof(T)); }
  Index size() const { return static_cast<Index>(indices_.size()); }

  // Copies the chunk to its place in the matrix, after `first` entries, and frees its memory.
  void move_into(SparseMatrix<T>& matrix, Index first_row, Index first) {
    std::copy(indices_.begin(), indices_.end(), matrix.indices.data() + first);
    std::copy(values_.begin(), values_.end(), matrix.values.data() + first);
    for (std::size_t k = 0; k < row_ends_.size(); ++k) {
      matrix.offsets[first_row + static_cast<Index>(k) + 1] = first + row_ends_[k];
    }
    *this = SparseRows();
  }

 private:
  std::vector<FeatureIndex> indices_;
  std::vector<T> values_;
  std::vector<Index> row_ends_;
};

// What is the same for every row of a file.
struct ArffRows {
  const DelimitedText& text;
  const ArffHeader& header;
  bool sort_features;
  std::vector<std::string>& sample_names;
  std::vector<Index> nonzero_when_omitted;  // nominal features, ascending
};

// Parses the rows of one chunk; values go to `Out`.
template <class Out>
class ArffChunkParser {
 public:
  using T = typename Out::Value;
  using Kind = ArffAttribute::Kind;
  using Role = ArffAttribute::Role;

  ArffChunkParser(const ArffRows& rows, const RowChunk& chunk, Out& out, ChunkFindings& found)
      : rows_(rows),
        attributes_(rows.header.attributes),
        chunk_(chunk),
        out_(out),
        found_(found),
        text_end_(rows.text.text.data() + rows.text.text.size()),
        line_(chunk.first_line),
        row_(chunk.first_row) {}

  void parse() {
    std::string_view rest = chunk_.of(rows_.text.text);
    const char* bad = chunk_.ascii ? rest.data() + rest.size() : rows_.text.first_bad_byte(rest);
    for (; !rest.empty(); ++line_) {
      const std::string_view line = take_line(rest);
      if (bad < line.data() + line.size()) rows_.text.refuse_byte(bad, chunk_start(), chunk_.first_line);
      const char* at = line.data();
      const char* end = at + line.size();
      skip_blanks(at, end);
      if (at == end || *at == '%') continue;
      line_text_ = line;
      parse_row(at, end);
      ++row_;
    }
  }

 private:
  // An entry of a sparse row: an attribute, and where its value begins.
  struct Entry {
    Index attribute;
    const char* at;
  };

  void parse_row(const char* at, const char* end) {
    in_braces_ = *at == '{';
    stops_ = in_braces_ ? ",}" : ",";
    out_.begin_row();
    in_braces_ ? parse_sparse_row(at, end) : parse_dense_row(at, end);
    out_.end_row();
    found_.labels.end_sample();
    if (out_.bytes() > kSpareBytes + 10 * (chunk_.end - chunk_.begin)) {
      throw input_error(rows_.text.input.at_line(line_), "too many columns of nominal attributes for so short rows",
                        "expected values that need at most ten times the memory of the file");
    }
  }

  void parse_dense_row(const char* at, const char* end) {
    const std::size_t count = attributes_.size();
    for (std::size_t k = 0;; ++k) {
      at = parse_field(attributes_[k], at, end);
      const bool last = k + 1 == count;
      if (at == end && last) return;
      if (at == end || last) refuse_value_count();
      ++at;
    }
  }

  // Returns where the field ends: at a stop or `end`.
  const char* parse_field(const ArffAttribute& attribute, const char* at, const char* end) {
    if (attribute.role == Role::kFeature && attribute.kind == Kind::kNumeric) {
      skip_blanks(at, end);
      T number = 0;
      // No number crosses a line end, and the parser is faster if it can look ahead.
      const NumberResult result = parse_number(at, text_end_, number);
      if (result.status == NumberStatus::kOk) {
        const char* behind = result.end;
        skip_blanks(behind, end);
        if (behind == end || *behind == ',' || (in_braces_ && *behind == '}')) {
          store(attribute, number);
          return behind;
        }
      }
    }
    return parse_word(attribute, at, end);
  }

  void store(const ArffAttribute& attribute, T number) {
    in_braces_ ? out_.stated_number(attribute.first_column, number) : out_.number(attribute.first_column, number);
  }

  // Everything but plain numbers.
  const char* parse_word(const ArffAttribute& attribute, const char* at, const char* end) {
    if (attribute.role == Role::kLabel && attribute.kind == Kind::kHierarchical) return parse_label_set(at, end);
    const char* begin = at;
    const ArffWord word = take_arff_word(at, end, stops_, unquoted_);
    if (!word.closed) refuse_quote(begin);
    const bool missing = word.text == "?" && !word.quoted;
    switch (attribute.role) {
      case Role::kFeature:
        missing ? store_missing(attribute, begin) : parse_feature(attribute, word.text, begin);
        break;
      case Role::kLabel:
        if (!missing) parse_label(attribute, word.text, begin);
        break;
      case Role::kSample:
        rows_.sample_names[static_cast<std::size_t>(row_)] = decoded(word.text);
        break;
      case Role::kIgnored:
        break;
    }
    return at;
  }

  void store_missing(const ArffAttribute& attribute, const char* at) {
    if (found_.missing == 0) found_.first_missing = place(at);
    found_.missing += attribute.columns;
    for (FeatureIndex k = 0; k < attribute.columns; ++k) {
      out_.number(attribute.first_column + k, std::numeric_limits<T>::quiet_NaN());
    }
  }

  void parse_feature(const ArffAttribute& attribute, std::string_view word, const char* at) {
    if (attribute.kind == Kind::kNominal) return store_value(attribute, value_number(attribute, word, at));
    T number = 0;
    const NumberStatus status = parse_whole(word, number);
    if (status == NumberStatus::kMissing) return store_missing(attribute, at);
    if (status == NumberStatus::kNotNumber) {
      check_value_count();
      throw input_error(place(at), fmt::format("'{}' of attribute '{}' is not a number", shown(word), name(attribute)),
                        "expected a number, or ? for a missing value");
    }
    if (status == NumberStatus::kNotFinite) {
      check_value_count();
      throw input_error(place(at), fmt::format("'{}' of attribute '{}' is not finite", shown(word), name(attribute)),
                        fmt::format("expected a number of magnitude at most {:.4g}", std::numeric_limits<T>::max()));
    }
    store(attribute, number);
  }

  Index value_number(const ArffAttribute& attribute, std::string_view word, const char* at) {
    const auto found = attribute.number_of.find(decoded(word));
    if (found != attribute.number_of.end()) return found->second;
    check_value_count();
    throw input_error(place(at), fmt::format("'{}' is no value of attribute '{}'", shown(word), name(attribute)),
                      fmt::format("expected one of its {} values, or ?", attribute.values.size()));
  }

  void store_value(const ArffAttribute& attribute, Index value) {
    if (attribute.is_one_hot()) {
      out_.one_of(attribute, value);
    } else {
      out_.number(attribute.first_column, value == attribute.one ? T(1) : T(0));
    }
  }

  void parse_label(const ArffAttribute& attribute, std::string_view word, const char* at) {
    if (attribute.kind == Kind::kNominal) value_number(attribute, word, at);
    if (!word.empty()) found_.labels.add(decoded(word), line_);
  }

  // Names joined by @. If names may be quoted, each is a word of its own; otherwise the whole field is one.
  const char* parse_label_set(const char* at, const char* end) {
    if (rows_.header.classes->quoted_names) return parse_quoted_labels(at, end);
    const char* begin = at;
    const ArffWord word = take_arff_word(at, end, stops_, unquoted_);
    if (!word.closed) refuse_quote(begin);
    if (word.quoted || word.text != "?") split_labels(decoded(word.text));
    return at;
  }

  const char* parse_quoted_labels(const char* at, const char* end) {
    bool first = true;
    for (bool more = true; more; first = false) {
      const char* begin = at;
      const ArffWord word = take_arff_word(at, end, in_braces_ ? ",}@" : ",@", unquoted_);
      if (!word.closed) refuse_quote(begin);
      more = at != end && *at == '@';
      const bool alone = first && !more;
      if (alone && !word.quoted && (word.text.empty() || word.text == "?")) return at;
      word.text.empty() && !word.quoted ? static_cast<void>(++found_.empty_labels) : add_label(decoded(word.text));
      if (more) ++at;
    }
    return at;
  }

  void split_labels(std::string_view names) {
    if (names.empty()) return;
    for (;;) {
      const std::size_t cut = names.find('@');
      const std::string_view label = trim(names.substr(0, cut));
      label.empty() ? static_cast<void>(++found_.empty_labels) : add_label(label);
      if (cut == std::string_view::npos) return;
      names.remove_prefix(cut + 1);
    }
  }

  void add_label(std::string_view label) {
    const std::size_t known = found_.labels.names().size();
    const std::int32_t number = found_.labels.intern(label, line_);
    found_.labels.add(number);
    if (static_cast<std::size_t>(number) < known) return;
    const ArffClass& classes = *rows_.header.classes;
    if (classes.hierarchy.find(label) || (classes.root_implied && label == Taxonomy::kVirtualRootName)) return;
    check_value_count();
    throw input_error(rows_.text.input.at_line(line_),
                      fmt::format("label '{}' is not in the class hierarchy of the header", shown(label)),
                      fmt::format("expected one of its {} classes", classes.hierarchy.size()));
  }

  void parse_sparse_row(const char* at, const char* end) {
    read_entries(at, end);
    sort_entries();
    std::size_t omitted = 0;
    bool label_stated = false;
    const auto& defaults = rows_.nonzero_when_omitted;
    for (const Entry& entry : entries_) {
      for (; omitted < defaults.size() && defaults[omitted] < entry.attribute; ++omitted)
        store_first(defaults[omitted]);
      if (omitted < defaults.size() && defaults[omitted] == entry.attribute) ++omitted;
      label_stated = label_stated || entry.attribute == rows_.header.label;
      parse_field(attributes_[static_cast<std::size_t>(entry.attribute)], entry.at, end);
    }
    for (; omitted < defaults.size(); ++omitted) store_first(defaults[omitted]);
    if (!label_stated && rows_.header.label >= 0) add_omitted_label();
  }

  void store_first(Index attribute) { store_value(attributes_[static_cast<std::size_t>(attribute)], 0); }

  void add_omitted_label() {
    const ArffAttribute& label = attributes_[static_cast<std::size_t>(rows_.header.label)];
    if (label.kind == Kind::kNominal) found_.labels.add(label.values[0], line_);
  }

  void read_entries(const char* at, const char* end) {
    entries_.clear();
    ++at;  // the brace
    skip_blanks(at, end);
    while (at != end && *at != '}') {
      const Index attribute = read_index(at, end);
      skip_blanks(at, end);
      entries_.push_back({attribute, at});
      skip_value(at, end);
      if (at != end && *at == ',') {
        ++at;
        skip_blanks(at, end);
        if (at == end || *at == '}') throw sparse_error(at, "nothing behind a comma", "expected {index value, ...}");
      }
    }
    if (at == end) throw sparse_error(at, "a row that is not closed", "expected } at its end");
    skip_blanks(++at, end);
    if (at != end) throw sparse_error(at, "text behind the row", "expected } at its end");
  }

  Index read_index(const char*& at, const char* end) {
    const char* begin = at;
    Index index = 0;
    const auto count = static_cast<Index>(attributes_.size());
    while (at != end && *at >= '0' && *at <= '9' && index <= count) index = index * 10 + (*at++ - '0');
    if (at == begin || at == end || (*at != ' ' && *at != '\t' && index < count)) {
      throw sparse_error(begin, "no index with a value", "expected {index value, ...} with indices from 0");
    }
    if (index >= count) {
      throw sparse_error(begin, fmt::format("index {} in a sparse row", shown(digits_at(begin, end))),
                         fmt::format("expected an index from 0 to {}", count - 1));
    }
    return index;
  }

  static std::string_view digits_at(const char* at, const char* end) {
    const char* behind = std::find_if(at, end, [](char c) { return c < '0' || c > '9'; });
    return {at, static_cast<std::size_t>(behind - at)};
  }

  // Moves to the comma or brace after the value; also heeds quotes within label sets.
  void skip_value(const char*& at, const char* end) {
    do {
      const char* begin = at;
      const ArffWord word = take_arff_word(at, end, ",}@", unquoted_);
      if (!word.closed) refuse_quote(begin);
    } while (at != end && *at == '@' && ++at != end);
  }

  void sort_entries() {
    const auto ascending = [](const Entry& a, const Entry& b) { return a.attribute < b.attribute; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), ascending)) {
      if (!rows_.sort_features) {
        throw input_error(rows_.text.input.at_line(line_), "the indices of a sparse row do not ascend",
                          "expected ascending indices, or `sort-features`");
      }
      std::sort(entries_.begin(), entries_.end(), ascending);
    }
    const auto twice = std::adjacent_find(entries_.begin(), entries_.end(),
                                          [](const Entry& a, const Entry& b) { return a.attribute == b.attribute; });
    if (twice != entries_.end()) {
      throw input_error(rows_.text.input.at_line(line_), fmt::format("index {} twice in a row", twice->attribute),
                        "expected each index once");
    }
  }

  Index count_values() {
    const char* at = line_text_.data();
    const char* end = at + line_text_.size();
    for (Index count = 1;; ++count) {
      do {
        take_arff_word(at, end, ",@", unquoted_);
      } while (at != end && *at == '@' && ++at != end);
      if (at == end) return count;
      ++at;
    }
  }
  void check_value_count() {
    if (!in_braces_ && count_values() != static_cast<Index>(attributes_.size())) refuse_value_count();
  }
  [[noreturn]] void refuse_value_count() {
    const Index count = count_values();
    throw input_error(rows_.text.input.at_line(line_), fmt::format("{} value{}", count, count == 1 ? "" : "s"),
                      fmt::format("expected {}, one per attribute", attributes_.size()));
  }
  [[noreturn]] void refuse_quote(const char* at) {
    throw input_error(place(at), "a quoted value is not closed, or text follows it",
                      "expected a quote and then a comma or the end of the row");
  }
  Error sparse_error(const char* at, std::string_view problem, std::string_view expected) const {
    return input_error(place(at), problem, expected);
  }

  std::string_view decoded(std::string_view raw) { return rows_.text.decoded(raw, decoded_); }
  const char* chunk_start() const { return rows_.text.text.data() + chunk_.begin; }
  Where place(const char* at) const { return rows_.text.place(chunk_start(), chunk_.first_line, at); }
  static std::string name(const ArffAttribute& attribute) { return shown(attribute.name); }

  const ArffRows& rows_;
  const std::vector<ArffAttribute>& attributes_;
  const RowChunk& chunk_;
  Out& out_;
  ChunkFindings& found_;
  const char* text_end_;
  Index line_;
  Index row_;
  std::string_view line_text_;
  std::string_view stops_;
  bool in_braces_ = false;
  std::vector<Entry> entries_;
  std::string unquoted_;
  std::string decoded_;
};

}  // namespace clade
