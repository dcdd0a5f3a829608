#include "io/csv/csv_layout.h"

#include <clade/names.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "io/columns/column_names.h"
#include "io/columns/read_records.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 6> kMissing = {"", "?", "na", "n/a", "nan", "null"};

char chosen_delimiter(std::string_view word) {
  if (word == "tab" || word == "\\t") return '\t';
  if (word == "comma") return ',';
  if (word == "semicolon") return ';';
  if (word == "space") return ' ';
  constexpr std::string_view kOfNumbers = "+-.\"\r\n0123456789";
  const bool letter = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
  if (word.size() != 1 || !is_ascii(word) || letter || word[0] == '\0' || kOfNumbers.find(word[0]) != kOfNumbers.npos) {
    throw usage_error(fmt::format("'{}' is no delimiter", shown(word)),
                      "expected one character that is no part of numbers, or tab, comma, semicolon, space");
  }
  return word[0];
}

// Tab before comma before semicolon, because semicolons also separate the labels of a sample.
constexpr std::string_view kDelimiters = "\t,;";

// Does the delimiter split the first two records into the same number of fields, and more than one?
bool fits_two_records(std::string_view text, char delimiter) {
  Index lines = 0;
  const Index fields = count_csv_fields(take_csv_record(text, delimiter, lines), delimiter);
  return fields > 1 && !text.empty() && count_csv_fields(take_csv_record(text, delimiter, lines), delimiter) == fields;
}

// The delimiters that occur outside quotes in the first record, best first.
std::string delimiters_in_first_record(std::string_view text) {
  std::array<bool, kDelimiters.size()> seen{};
  bool quoted = false;
  bool field_start = true;
  for (const char c : text) {
    const bool closes = c == '"' && quoted;
    if (closes || (c == '"' && field_start)) quoted = !quoted;
    if (c == '\n' && !quoted) break;
    const std::size_t candidate = kDelimiters.find(c);
    if (candidate < seen.size() && !quoted) seen[candidate] = true;
    field_start = closes || candidate < seen.size();  // "" closes and opens again
  }
  std::string result;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (seen[k]) result += kDelimiters[k];
  }
  return result;
}

char guessed_delimiter(std::string_view text, std::vector<std::string>& notes) {
  const std::string candidates = delimiters_in_first_record(text);
  for (const char candidate : candidates) {
    if (fits_two_records(text, candidate)) return candidate;
  }
  if (!candidates.empty()) return candidates[0];
  notes.emplace_back("the first line has no comma, tab or semicolon: taken as a single column");
  return ',';
}

// The first row, field by field.
class FirstRow {
 public:
  FirstRow(const DelimitedText& text, std::string_view record, Index line, char delimiter) : text_(text), line_(line) {
    const char* at = record.data();
    const char* end = at + record.size();
    for (;;) {
      const char* begin = at;
      const CsvField field = take_csv_field(at, end, delimiter);
      if (!field.closed) {
        throw input_error(text.place(record.data(), line, begin), "a quoted field is not closed, or text follows it",
                          "expected \" and then a delimiter or the end of the line");
      }
      std::string scratch;
      std::string decoded;
      fields_.emplace_back(text.decoded(csv_field_text(field, scratch), decoded));
      if (at == end) break;
      ++at;
    }
  }

  Index size() const { return static_cast<Index>(fields_.size()); }
  const std::string& operator[](Index k) const { return fields_[static_cast<std::size_t>(k)]; }
  std::vector<std::string>& fields() { return fields_; }

  bool has_field(std::string_view name) const {
    return std::find(fields_.begin(), fields_.end(), name) != fields_.end();
  }

  // The column that an option names: by name if the header has it, else by number.
  Index column(std::string_view option, std::string_view wanted, bool header) const {
    if (header && has_field(wanted)) {
      const auto first = std::find(fields_.begin(), fields_.end(), wanted);
      if (std::find(first + 1, fields_.end(), wanted) != fields_.end()) {
        throw input_error(text_.input.at_line(line_), fmt::format("several columns are named '{}'", shown(wanted)),
                          fmt::format("give {} a column number", option));
      }
      return first - fields_.begin();
    }
    const Index number = column_number(wanted);
    if (number > 0 && number <= size()) return number - 1;
    if (number > 0) {
      throw input_error(text_.input.at_line(line_), fmt::format("{} {}: there are {} columns", option, number, size()),
                        fmt::format("expected a number from 1 to {}", size()));
    }
    throw input_error(text_.input.at_line(line_), fmt::format("no column is named '{}'", shown(wanted)),
                      header ? named_columns(wanted) : fmt::format("{} takes a number from 1, or none", option));
  }

 private:
  // What a misspelt name may mean, and the columns that there are.
  std::string named_columns(std::string_view wanted) const {
    const std::string near = nearest_name(wanted, fields_);
    std::vector<std::string> names;
    for (const std::string& field : fields_) names.push_back(shown(field));
    const std::string list = short_list(names, kNamedColumns);
    return near.empty() ? fmt::format("expected one of: {}", list)
                        : fmt::format("did you mean '{}'? The columns are: {}", shown(near), list);
  }

  static constexpr std::size_t kNamedColumns = 20;
  const DelimitedText& text_;
  Index line_;
  std::vector<std::string> fields_;
};

bool is_text(const std::string& field) {
  double value = 0;
  return !is_missing_in_csv(field) && parse_whole_number(field, value) == NumberStatus::kNotNumber;
}

// A header has text where rows have numbers, or names a label column or a column that a model was trained on.
bool looks_like_header(const FirstRow& row, const ReadOptions& options) {
  const auto is_named = [&](const std::string& column) {
    return !column.empty() && column != "none" && column_number(column) == 0 && row.has_field(column);
  };
  if (is_named(options.label_column) || is_named(options.sample_column)) return true;
  if (options.vectorizer && std::ranges::any_of(options.vectorizer->options.columns,
                                                [&](const DataColumn& column) { return row.has_field(column.name); })) {
    return true;
  }
  Index label = row.size() - 1;
  if (options.label_column == "none") label = -1;
  if (const Index number = column_number(options.label_column); number > 0) label = number - 1;
  const Index sample = column_number(options.sample_column) - 1;
  for (Index k = 0; k < row.size(); ++k) {
    if (is_label_column_name(row[k])) return true;
    if (k != label && k != sample && is_text(row[k])) return true;
  }
  return false;
}

bool is_known(const ReadOptions& options, const std::string& name) {
  return std::ranges::find(options.known_features, name) != options.known_features.end();
}

Index find_label(const FirstRow& row, const CsvLayout& layout, const ReadOptions& options, Where where,
                 std::vector<std::string>& notes) {
  if (options.label_column == "none") return -1;
  if (!options.label_column.empty()) return row.column("`label-column`", options.label_column, layout.header);
  const Index last = row.size() - 1;
  if (layout.header && is_label_column_name(row[last]) && !is_known(options, row[last])) return last;
  if (!layout.header && options.known_features.empty()) return last;
  if (!layout.header) return row.size() == std::ssize(options.known_features) ? -1 : last;
  Index found = -1;
  for (Index k = 0; k < last; ++k) {
    if (!is_label_column_name(row[k]) || is_known(options, row[k])) continue;
    if (found >= 0) {
      throw input_error(where, fmt::format("columns {} and {} can both be the labels", found + 1, k + 1),
                        "say which with `label-column`");
    }
    found = k;
  }
  if (found >= 0) return found;
  if (!options.known_features.empty()) return -1;  // none of the others is a label
  std::size_t best = kLabelColumnNames.size();
  for (Index k = 0; k <= last; ++k) {
    const std::size_t rank = label_name_rank(row[k]).value_or(kLabelColumnNames.size());
    if (rank < best) found = k;
    best = std::min(best, rank);
  }
  if (found < 0) found = last;
  notes.push_back(fmt::format("column '{}' is taken as the labels; `label-column` names another", shown(row[found])));
  return found;
}

Index find_sample(const FirstRow& row, const CsvLayout& layout, const ReadOptions& options,
                  std::vector<std::string>& notes) {
  if (options.sample_column == "none") return -1;
  if (!options.sample_column.empty()) return row.column("`sample-column`", options.sample_column, layout.header);
  for (Index k = 0; layout.header && k < row.size(); ++k) {
    if (k == layout.label || !is_sample_column_name(row[k]) || is_known(options, row[k])) continue;
    if (!equal_ignoring_case(row[k], "sample")) {
      notes.push_back(fmt::format("column '{}' is taken as the names of the samples", shown(row[k])));
    }
    return k;
  }
  return -1;
}

// Is a column that is neither a label nor the names of the samples mostly text in the first rows? A few texts among
// numbers are errors.
bool has_texts(const FirstRow& first, std::string_view rest, const CsvLayout& layout, const ReadOptions& options) {
  constexpr Index kLookedAt = 200;
  if (!layout.header) return false;
  const bool is_told = !options.label_column.empty();
  std::vector<char> is_other(static_cast<std::size_t>(first.size()), 0);  // labels and names of samples
  bool has_label = options.label_column == "none";
  for (Index k = 0; k < first.size(); ++k) {
    const bool is_label = !is_told && label_name_rank(first[k]).has_value();
    has_label = has_label || is_label;
    const bool names_samples =
        options.sample_column.empty() ? is_sample_column_name(first[k]) : first[k] == options.sample_column;
    is_other[static_cast<std::size_t>(k)] = is_label || names_samples ? 1 : 0;
  }
  if (is_told && !has_label) {
    is_other[static_cast<std::size_t>(first.column("`label-column`", options.label_column, layout.header))] = 1;
  } else if (!has_label) {
    is_other.back() = 1;
  }
  std::vector<Index> filled(is_other.size(), 0);
  std::vector<Index> texts(is_other.size(), 0);
  std::string scratch;
  for (Index r = 0; r < kLookedAt && !rest.empty(); ++r) {
    Index lines = 0;
    const std::string_view record = take_csv_record(rest, layout.delimiter, lines);
    const char* at = record.data();
    const char* end = at + record.size();
    for (std::size_t k = 0; k < is_other.size(); ++k, ++at) {
      const std::string value(trim(csv_field_text(take_csv_field(at, end, layout.delimiter), scratch)));
      filled[k] += is_missing_in_csv(value) ? 0 : 1;
      texts[k] += is_text(value) ? 1 : 0;
      if (at == end) break;
    }
  }
  for (std::size_t k = 0; k < is_other.size(); ++k) {
    if (is_other[k] == 0 && 2 * texts[k] > filled[k]) return true;
  }
  return false;
}

}  // namespace

bool is_missing_in_csv(std::string_view text) {
  return is_one_of_ignoring_case(text, kMissing);
}
bool is_label_column_name(std::string_view name) {
  return label_name_rank(name).value_or(kDoubtfulLabelNames) < kDoubtfulLabelNames;
}

Index CsvLayout::features() const {
  return columns - (label >= 0 ? 1 : 0) - (sample >= 0 ? 1 : 0) - std::ranges::count(ignored, 1);
}

std::vector<std::string> CsvLayout::feature_names() const {
  std::vector<std::string> result;
  for (Index k = 0; header && k < columns; ++k) {
    if (k != label && k != sample && !is_ignored(k)) result.push_back(names[static_cast<std::size_t>(k)]);
  }
  return result;
}

std::string CsvLayout::column_name(Index column) const {
  if (!header) return std::to_string(column + 1);
  return fmt::format("'{}'", shown(names[static_cast<std::size_t>(column)]));
}

CsvLayout read_csv_layout(const DelimitedText& text, const ReadOptions& options, char delimiter,
                          std::vector<std::string>& notes) {
  CsvLayout layout;
  std::string_view rest = text.text;
  for (std::string_view next = rest; take_line(next).empty(); rest = next) ++layout.empty_lines;
  layout.data_line = layout.empty_lines + 1;
  text.refuse_bare_returns(rest, layout.data_line);

  if (!options.delimiter.empty()) {
    layout.delimiter = chosen_delimiter(options.delimiter);
  } else {
    layout.delimiter = delimiter != 0 ? delimiter : guessed_delimiter(rest, notes);
  }
  std::string_view behind = rest;
  Index lines = 0;
  const std::string_view record = take_csv_record(behind, layout.delimiter, lines);
  if (const char* bad = text.first_bad_byte(record); bad != record.data() + record.size()) {
    text.refuse_byte(bad, record.data(), layout.data_line);
  }
  FirstRow row(text, record, layout.data_line, layout.delimiter);
  const Where where = text.input.at_line(layout.data_line);
  layout.columns = row.size();
  layout.header = options.header == Header::kAuto ? looks_like_header(row, options) : options.header == Header::kYes;
  layout.has_texts =
      asks_for_columns(options) || (options.known_features.empty() && has_texts(row, behind, layout, options));
  if (!layout.has_texts) layout.label = find_label(row, layout, options, where, notes);
  if (!layout.has_texts) layout.sample = find_sample(row, layout, options, notes);
  if (layout.has_texts && !options.sample_column.empty() && !options.label_column.empty()) {
    layout.label = find_label(row, layout, options, where, notes);  // only to compare them
    layout.sample = find_sample(row, layout, options, notes);
  }
  if (layout.label >= 0 && layout.label == layout.sample) {
    throw input_error(where, "one column is asked for as labels and as sample names", "expected two columns");
  }
  if (layout.header && !options.known_features.empty() && !layout.has_texts) {
    layout.ignored.assign(static_cast<std::size_t>(row.size()), 0);
    for (Index k = 0; k < row.size(); ++k) {
      const bool is_used = k == layout.label || k == layout.sample || is_known(options, row[k]);
      layout.ignored[static_cast<std::size_t>(k)] = is_used ? 0 : 1;
    }
  }
  if (layout.header) {
    layout.names = std::move(row.fields());
    rest = behind;
    layout.data_line += lines;
  }
  layout.data_begin = text.text.size() - rest.size();
  return layout;
}

}  // namespace clade
