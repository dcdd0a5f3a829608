#include "io/columns/column_plan.h"

#include <clade/names.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <unordered_set>

#include "core/text.h"
#include "io/bad_rows.h"
#include "io/columns/column_names.h"
#include "io/columns/label_levels.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 9> kLevelStems = {"lvl", "level", "cat",   "category", "tier",
                                                         "l",   "class", "label", "lv"};

// What the cells of a column look like.
struct Look {
  Index filled = 0;
  Index numbers = 0;
  Index dates = 0;
  Index words = 0;
  Index distinct = 0;
};

Index word_count(std::string_view text) {
  Index words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == kItemEnd;
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

Look look_of(const CellTable& records, Index column) {
  Look look;
  std::unordered_set<std::string_view> seen;
  for (Index r = 0; r < records.rows(); ++r) {
    const std::string_view cell = records.cell(r, column);
    if (cell.empty()) continue;
    ++look.filled;
    if (cell_number(cell)) ++look.numbers;
    if (cell_date(cell)) ++look.dates;
    look.words += word_count(cell);
    seen.insert(cell);
  }
  look.distinct = std::ssize(seen);
  return look;
}

struct Verdict {
  ColumnKind kind = ColumnKind::kIgnored;
  std::string_view reason;  // for being ignored
};

// A column with blanks in most cells is text unless a few values repeat; one that differs in every row tells nothing.
Verdict verdict_of(const Look& look, bool is_list) {
  constexpr Index kFew = 10;  // rows from which "all different" means something
  constexpr double kWordsOfText = 2.5;
  constexpr Index kRepeats = 2;
  if (look.filled == 0) return {ColumnKind::kIgnored, "empty"};
  if (is_list) return {ColumnKind::kText, ""};
  const double words = static_cast<double>(look.words) / static_cast<double>(look.filled);
  if (look.distinct == 1 && look.filled >= kFew) return {ColumnKind::kIgnored, "always the same"};
  // A few other values are errors or words for "missing"; they are counted later.
  constexpr Index kShare = 20;
  if (kShare * look.numbers >= (kShare - 1) * look.filled) return {ColumnKind::kNumber, ""};
  if (kShare * look.dates >= (kShare - 1) * look.filled) return {ColumnKind::kDate, ""};
  const bool repeats = look.distinct * kRepeats <= look.filled;
  if (words >= kWordsOfText && (!repeats || words >= 2 * kWordsOfText)) return {ColumnKind::kText, ""};
  if (repeats) return {ColumnKind::kCategory, ""};
  if (words >= 1.5) return {ColumnKind::kText, ""};
  if (look.distinct == look.filled && look.filled >= kFew) return {ColumnKind::kIgnored, "all different"};
  return {ColumnKind::kCategory, ""};
}

bool is_id_name(std::string_view name) {
  const std::string lower = lower_case(name);
  return is_sample_column_name(name) || lower.ends_with("_id") || lower.ends_with(" id");
}

std::string column_list(const CellTable& records) {
  std::string list;
  for (const std::string& name : records.columns) list += (list.empty() ? "" : ", ") + shown(name);
  return list;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t cut = std::min(list.find(','), list.size());
    if (const auto name = trim(list.substr(0, cut)); !name.empty()) names.emplace_back(name);
    list.remove_prefix(std::min(list.size(), cut + 1));
  }
  return names;
}

// Finds what the options name: a column, or its 1-based number.
class ColumnFinder {
 public:
  explicit ColumnFinder(const CellTable& records) : records_(records) {}

  std::optional<Index> find(std::string_view name) const {
    const auto exact = std::ranges::find(records_.columns, name);
    if (exact != records_.columns.end()) return exact - records_.columns.begin();
    const std::string lower = lower_case(name);
    for (std::size_t k = 0; k < records_.columns.size(); ++k) {
      if (lower_case(records_.columns[k]) == lower) return static_cast<Index>(k);
    }
    const Index number = column_number(name);
    if (number >= 1 && number <= records_.width()) return number - 1;
    return std::nullopt;
  }

  Index require(std::string_view name, std::string_view option) const {
    if (const auto column = find(name)) return *column;
    const std::string near = nearest_name(name, records_.columns);
    throw input_error({.file = records_.file}, fmt::format("no column '{}' for `{}`", name, option),
                      near.empty()
                          ? fmt::format("expected one of: {}", column_list(records_))
                          : fmt::format("did you mean '{}'? The columns are: {}", near, column_list(records_)));
  }

  std::vector<Index> require_all(std::string_view list, std::string_view option) const {
    std::vector<Index> columns;
    for (const std::string& name : names_in(list)) columns.push_back(require(name, option));
    if (columns.empty() && !list.empty()) {
      throw usage_error(fmt::format("`{}` '{}' names no column", option, list), "expected names with commas between");
    }
    return columns;
  }

 private:
  const CellTable& records_;
};

// lvl1, lvl2, ...; or level_1, level_2, ...: columns whose names differ only in a number that counts from 0 or 1.
std::vector<Index> level_columns(const std::vector<std::string>& columns) {
  for (const std::string_view stem : kLevelStems) {
    std::vector<Index> levels;
    for (int first : {1, 0}) {
      levels.clear();
      for (int number = first;; ++number) {
        const auto is_level = [&](const std::string& name) {
          const std::string lower = lower_case(name);
          return lower == fmt::format("{}{}", stem, number) || lower == fmt::format("{}_{}", stem, number) ||
                 lower == fmt::format("{} {}", stem, number) || lower == fmt::format("{}-{}", stem, number);
        };
        const auto found = std::ranges::find_if(columns, is_level);
        if (found == columns.end()) break;
        levels.push_back(found - columns.begin());
      }
      if (levels.size() >= 2) return levels;
    }
  }
  return {};
}

std::vector<Index> label_columns(const CellTable& records, const ColumnFinder& finder, const ReadOptions& options,
                                 std::span<const char> is_taken, bool& is_guess) {
  if (!options.label_levels.empty()) return finder.require_all(options.label_levels, "label-levels");
  if (options.label_column == "none") return {};
  if (!options.label_column.empty()) return {finder.require(options.label_column, "label-column")};
  if (const auto field = finder.find(options.label_field)) return {*field};
  if (std::vector<Index> levels = level_columns(records.columns); !levels.empty()) return levels;
  for (const std::string_view name : kLabelColumnNames) {
    const auto column = finder.find(name);
    if (column && is_taken[static_cast<std::size_t>(*column)] == 0) return {*column};
  }
  is_guess = true;
  return {};
}

// Something that stands in no name of a level, so that paths can be cut again.
std::string level_separator(const CellTable& records, std::span<const Index> levels) {
  for (const std::string_view separator : {" > ", "/", " >> ", "::", "|", "->"}) {
    const bool occurs = std::ranges::any_of(levels, [&](Index column) {
      for (Index r = 0; r < records.rows(); ++r) {
        if (records.cell(r, column).find(trim(separator)) != std::string_view::npos) return true;
      }
      return false;
    });
    if (!occurs) return std::string(separator);
  }
  throw input_error({.file = records.file}, "the names of the levels hold every separator that Clade knows",
                    "expected names without ' > ', '/', '::' or '|'");
}

class Description {
 public:
  void add(std::string_view kind, std::string_view name, std::string_view reason = {}) {
    auto known = std::ranges::find(kinds_, kind, &Kind::name);
    if (known == kinds_.end()) known = kinds_.insert(kinds_.end(), {kind, {}});
    known->columns.push_back(shown(name) + (reason.empty() ? "" : fmt::format(" ({})", reason)));
  }
  std::string text() const {
    std::string line;
    for (const Kind& kind : kinds_) {
      line += fmt::format("{}{}: {}", line.empty() ? "" : "; ", kind.name, fmt::join(kind.columns, ", "));
    }
    return line;
  }

 private:
  struct Kind {
    std::string_view name;
    std::vector<std::string> columns;
  };
  std::vector<Kind> kinds_;
};

constexpr std::string_view word_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kText:
      return "text";
    case ColumnKind::kNumber:
      return "number";
    case ColumnKind::kDate:
      return "date";
    case ColumnKind::kCategory:
      return "category";
    case ColumnKind::kIgnored:
      break;
  }
  return "ignored";
}

// By the place of a column: what the options say that it is.
std::vector<std::optional<ColumnKind>> given_kinds(const CellTable& records, const ColumnFinder& finder,
                                                   const ReadOptions& options) {
  std::vector<std::optional<ColumnKind>> kinds(records.columns.size());
  const auto set = [&](const std::string& list, std::string_view option, ColumnKind kind) {
    for (const Index column : finder.require_all(list, option)) {
      auto& known = kinds[static_cast<std::size_t>(column)];
      if (known) {
        throw usage_error(fmt::format("column '{}' is given twice", records.columns[static_cast<std::size_t>(column)]),
                          "expected each column in one list");
      }
      known = kind;
    }
  };
  set(options.text_columns, "text-columns", ColumnKind::kText);
  set(options.numeric_columns, "numeric-columns", ColumnKind::kNumber);
  set(options.categorical_columns, "categorical-columns", ColumnKind::kCategory);
  set(options.ignore_columns, "ignore-columns", ColumnKind::kIgnored);
  return kinds;
}

// Levels of a label that stands in one column, among the columns about which the options say nothing.
LabelLevels levels_beside(const CellTable& records, const std::vector<Index>& labels, std::span<const char> is_taken) {
  if (labels.size() != 1) return {};
  std::vector<Index> candidates;
  for (Index k = 0; k < records.width(); ++k) {
    const auto c = static_cast<std::size_t>(k);
    if (is_taken[c] != 0 || records.list_columns[c] == '1') continue;
    const Look look = look_of(records, k);
    if (2 * look.distinct <= look.filled) candidates.push_back(k);
  }
  return find_label_levels(records, labels[0], candidates);
}

void require_numbers(const CellTable& records, Index column) {
  for (Index r = 0; r < records.rows(); ++r) {
    const std::string_view cell = records.cell(r, column);
    if (cell.empty() || cell_number(cell)) continue;
    throw input_error({.file = records.file, .line = records.lines[static_cast<std::size_t>(r)]},
                      fmt::format("'{}' in column '{}' is not a number", shown(cell),
                                  shown(records.columns[static_cast<std::size_t>(column)])),
                      "expected a number, or the column in `text-columns`, `categorical-columns` or `ignore-columns`");
  }
}

}  // namespace

std::optional<double> cell_number(std::string_view cell) {
  double value = 0;
  if (parse_whole_number(cell, value) != NumberStatus::kOk) return std::nullopt;
  return value;
}

std::optional<double> cell_date(std::string_view cell) {
  // 2024-05-31, 2024/05/31, and what may follow after a T or a blank
  if (cell.size() < 10 || (cell[4] != '-' && cell[4] != '/') || cell[7] != cell[4]) return std::nullopt;
  if (cell.size() > 10 && cell[10] != 'T' && cell[10] != ' ') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t size) {
    int value = -1;
    const auto result = std::from_chars(cell.data() + at, cell.data() + at + size, value);
    return result.ptr == cell.data() + at + size ? value : -1;
  };
  const int year = number(0, 4);
  const int month = number(5, 2);
  const int day = number(8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
}

bool has_label_name(const std::vector<std::string>& columns) {
  const auto is_label = [](const std::string& name) { return label_name_rank(name).has_value(); };
  return std::ranges::any_of(columns, is_label) || !level_columns(columns).empty();
}

ColumnPlan infer_columns(const CellTable& records, const ReadOptions& options, std::vector<std::string>& notes) {
  const ColumnFinder finder(records);
  std::vector<std::optional<ColumnKind>> given = given_kinds(records, finder, options);
  std::vector<char> is_taken(records.columns.size(), 0);
  for (std::size_t k = 0; k < given.size(); ++k) is_taken[k] = given[k].has_value() ? 1 : 0;
  ColumnPlan plan;
  bool is_guess = false;
  plan.labels = label_columns(records, finder, options, is_taken, is_guess);
  if (is_guess && records.is_ordered && records.width() > 1 && is_taken.back() == 0 &&
      verdict_of(look_of(records, records.width() - 1), false).kind == ColumnKind::kCategory) {
    plan.labels = {records.width() - 1};
    notes.push_back(
        fmt::format("column '{}' is taken as the labels; `label-column` names another", shown(records.columns.back())));
    is_guess = false;
  }
  if (is_guess) {
    throw input_error({.file = records.file}, "cannot tell which column has the labels",
                      fmt::format("say it with `label-column` NAME, or `label-levels` A,B,C; the columns are: {}",
                                  column_list(records)));
  }
  if (plan.labels.size() > 1) plan.separator = level_separator(records, plan.labels);
  for (const Index column : plan.labels) is_taken[static_cast<std::size_t>(column)] = 1;
  const LabelLevels levels = levels_beside(records, plan.labels, is_taken);
  if (plan.labels.size() == 1) note_label_levels(levels, records, plan.labels[0], notes);
  Description description;
  Description ignored;
  const bool only_given = !options.text_columns.empty();  // then other texts would only blur them
  for (Index k = 0; k < records.width(); ++k) {
    const auto c = static_cast<std::size_t>(k);
    const std::string& name = records.columns[c];
    if (std::ranges::find(plan.labels, k) != plan.labels.end()) continue;
    const bool names_samples = options.sample_column.empty()
                                   ? plan.sample < 0 && !given[c] && is_sample_column_name(name)
                                   : finder.find(options.sample_column) == k;
    if (names_samples && options.sample_column != "none") {
      plan.sample = k;
      continue;
    }
    Verdict verdict{given[c].value_or(ColumnKind::kIgnored), "as asked"};
    if (!given[c]) {
      const Look look = look_of(records, k);
      verdict = verdict_of(look, records.list_columns[c] == '1');
      if (is_id_name(name) && look.distinct == look.filled) verdict = {ColumnKind::kIgnored, "an id"};
      if (levels.has(k)) verdict = {ColumnKind::kIgnored, "a level of the label"};
      if (only_given && verdict.kind == ColumnKind::kText) verdict = {ColumnKind::kIgnored, "not in `text-columns`"};
    }
    if (verdict.kind == ColumnKind::kIgnored) {
      ignored.add("ignored", name, verdict.reason);
      continue;
    }
    if (given[c] == ColumnKind::kNumber && !skips_bad_rows(options)) require_numbers(records, k);
    plan.features.push_back({name, verdict.kind});
    plan.places.push_back(k);
  }
  for (const ColumnKind kind : {ColumnKind::kText, ColumnKind::kNumber, ColumnKind::kDate, ColumnKind::kCategory}) {
    for (const DataColumn& column : plan.features) {
      if (column.kind == kind) description.add(word_of(kind), column.name);
    }
  }
  for (const Index column : plan.labels) {
    description.add(plan.labels.size() > 1 ? "label levels" : "label",
                    records.columns[static_cast<std::size_t>(column)]);
  }
  if (plan.sample >= 0) description.add("sample names", records.columns[static_cast<std::size_t>(plan.sample)]);
  const std::string rest = ignored.text();
  notes.push_back("columns: " + description.text() + (rest.empty() ? "" : "; " + rest));
  if (plan.features.empty()) {
    throw input_error({.file = records.file}, "no column is left to learn from",
                      fmt::format("say it with `text-columns`; the columns are: {}", column_list(records)));
  }
  return plan;
}

ColumnPlan find_columns(const CellTable& records, const TextOptions& learnt, const ReadOptions& options,
                        std::vector<std::string>& notes) {
  const ColumnFinder finder(records);
  ColumnPlan plan;
  plan.features = learnt.columns;
  std::vector<std::string> missing;
  for (const DataColumn& column : learnt.columns) {
    const auto found = std::ranges::find(records.columns, column.name);
    plan.places.push_back(found == records.columns.end() ? -1 : found - records.columns.begin());
    if (plan.places.back() < 0) missing.push_back(shown(column.name));
  }
  if (missing.size() == learnt.columns.size()) {
    throw input_error({.file = records.file}, "none of the columns that the model was trained on",
                      fmt::format("expected {}; the columns are: {}", fmt::join(missing, ", "), column_list(records)));
  }
  if (!missing.empty())
    notes.push_back(fmt::format("columns missing in {}: {}", records.file, fmt::join(missing, ", ")));
  std::vector<std::string> labels = learnt.label_columns;
  if (!options.label_levels.empty()) labels = names_in(options.label_levels);
  if (!options.label_column.empty()) labels = {options.label_column};
  for (const std::string& name : labels) {
    const auto found = finder.find(name);
    if (found) plan.labels.push_back(*found);
    if (!found && (!options.label_column.empty() || !options.label_levels.empty())) {
      finder.require(name, options.label_column.empty() ? "label-levels" : "label-column");
    }
  }
  if (plan.labels.size() != labels.size()) plan.labels.clear();  // no labels here
  plan.separator = learnt.label_separator;
  if (plan.labels.size() > 1 && plan.separator.empty()) plan.separator = level_separator(records, plan.labels);
  if (options.sample_column != "none") {
    for (Index k = 0; k < records.width() && plan.sample < 0; ++k) {
      const std::string& name = records.columns[static_cast<std::size_t>(k)];
      const bool is_named = options.sample_column.empty() ? is_sample_column_name(name)
                                                          : finder.require(options.sample_column, "sample-column") == k;
      const bool is_feature = std::ranges::find(plan.places, k) != plan.places.end();
      if (is_named && !is_feature) plan.sample = k;
    }
  }
  return plan;
}

}  // namespace clade
