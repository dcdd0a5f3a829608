#include "io/columns/read_records.h"

#include <fmt/format.h>

#include <limits>

#include "core/parallel.h"
#include "io/columns/column_plan.h"
#include "io/labels/labels.h"
#include "io/lines.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

// Runs of rows with about WordCounter::kChunkBytes of text; returns their ends.
std::vector<Index> row_chunks(const CellTable& records) {
  std::vector<Index> ends;
  std::size_t bytes = 0;
  for (Index r = 0; r < records.rows(); ++r) {
    for (Index k = 0; k < records.width(); ++k) bytes += records.cell(r, k).size() + 1;
    if (bytes < WordCounter::kChunkBytes && r + 1 < records.rows()) continue;
    ends.push_back(r + 1);
    bytes = 0;
  }
  return ends;
}

void count_cell(std::string_view cell, const DataColumn& column, const TextOptions& text, WordCounter& counter) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  switch (column.kind) {
    case ColumnKind::kText:
      counter.enter_field(text.fields == TextFields::kSeparate ? std::string_view(column.name) : std::string_view());
      for_each_item(cell, [&](std::string_view item) { counter.add_text(item); });
      break;
    case ColumnKind::kCategory:
      for_each_item(cell, [&](std::string_view item) { counter.add_category(column.name, item); });
      break;
    case ColumnKind::kNumber:
      counter.add_number(cell_number(cell).value_or(kMissing));
      break;
    case ColumnKind::kDate:
      counter.add_number(cell_date(cell).value_or(kMissing));
      break;
    case ColumnKind::kIgnored:
      break;
  }
}

WordCounts count_rows(const CellTable& records, const ColumnPlan& plan, const TextOptions& text, Index begin,
                      Index end) {
  WordCounter counter(text);
  for (Index r = begin; r < end; ++r) {
    for (std::size_t k = 0; k < plan.features.size(); ++k) {
      const std::string_view cell = plan.places[k] < 0 ? std::string_view() : records.cell(r, plan.places[k]);
      count_cell(cell, plan.features[k], text, counter);
    }
    counter.end_document();
  }
  return std::move(counter).take();
}

// The levels of a label, joined up to the first that is empty.
std::string joined_levels(const CellTable& records, const ColumnPlan& plan, Index row) {
  std::string name;
  for (const Index column : plan.labels) {
    const std::string_view part = records.cell(row, column);
    if (part.empty()) break;
    if (!name.empty()) name += plan.separator;
    name += part;
  }
  return name;
}

bool has_gap(const CellTable& records, const ColumnPlan& plan, Index row) {
  bool is_over = false;
  for (const Index column : plan.labels) {
    const bool is_empty = records.cell(row, column).empty();
    if (is_over && !is_empty) return true;
    is_over = is_over || is_empty;
  }
  return false;
}

std::string with_parts_joined(std::string_view item, std::string_view separator) {
  std::string name;
  for (const char c : item) c == kPartEnd ? name += separator : name += c;
  return name;
}

bool has_lists_of_lists(const CellTable& records, Index column) {
  for (Index r = 0; r < records.rows(); ++r) {
    if (records.cell(r, column).find(kPartEnd) != std::string_view::npos) return true;
  }
  return false;
}

void add_labels(const CellTable& records, ColumnPlan& plan, const ReadOptions& options, ParsedData& data) {
  Index odd = 0;
  Index gaps = 0;
  if (plan.labels.size() == 1 && plan.separator.empty() && has_lists_of_lists(records, plan.labels[0])) {
    plan.separator = " > ";
  }
  for (Index r = 0; r < records.rows(); ++r) {
    const Index line = records.lines[static_cast<std::size_t>(r)];
    if (plan.labels.size() > 1) {
      if (has_gap(records, plan, r)) ++gaps;
      if (const std::string name = joined_levels(records, plan, r); !name.empty()) data.labels.add(name, line);
    } else if (plan.labels.size() == 1) {
      const std::string_view cell = records.cell(r, plan.labels[0]);
      if (is_list(cell)) {
        for_each_item(cell,
                      [&](std::string_view item) { data.labels.add(with_parts_joined(item, plan.separator), line); });
      } else if (!add_label_set(data.labels, cell, options.label_separators, line)) {
        ++odd;
      }
    }
    data.labels.end_sample();
  }
  if (gaps > 0) {
    data.notes.push_back(counted(gaps, "sample") +
                         " with an empty level above a filled one: the label ends before the empty one");
  }
  if (odd > 0) data.notes.push_back(counted(odd, "sample") + " with an empty label between separators");
}

ColumnPlan plan_of(const CellTable& records, const ReadOptions& options, std::vector<std::string>& notes) {
  const bool is_learnt = options.vectorizer && !options.vectorizer->options.columns.empty();
  return is_learnt ? find_columns(records, options.vectorizer->options, options, notes)
                   : infer_columns(records, options, notes);
}

// Is a cell of a column of numbers or dates neither empty nor one of these?
bool is_odd_number(std::string_view cell, ColumnKind kind) {
  if (cell.empty()) return false;
  if (kind == ColumnKind::kNumber) return !cell_number(cell);
  return kind == ColumnKind::kDate && !cell_date(cell);
}

// Counts what is no number in columns of numbers; a column of nothing else was surely taken for another.
void count_odd_numbers(const CellTable& records, const ColumnPlan& plan, std::vector<std::string>& notes) {
  for (std::size_t k = 0; k < plan.features.size(); ++k) {
    const auto& [name, kind] = plan.features[k];
    if (plan.places[k] < 0 || (kind != ColumnKind::kNumber && kind != ColumnKind::kDate)) continue;
    const std::string_view noun = kind == ColumnKind::kNumber ? "number" : "date";
    Index filled = 0;
    Index bad = 0;
    std::string_view example;
    Index line = 0;
    for (Index r = 0; r < records.rows(); ++r) {
      const std::string_view cell = records.cell(r, plan.places[k]);
      if (cell.empty()) continue;
      ++filled;
      if (!is_odd_number(cell, kind)) continue;
      if (bad++ > 0) continue;
      example = cell;
      line = records.lines[static_cast<std::size_t>(r)];
    }
    if (bad == 0) continue;
    if (bad == filled) {
      throw input_error(
          {.file = records.file, .line = line},
          fmt::format("'{}' in column '{}' is no {}, nor is any other value", shown(example), shown(name), noun),
          fmt::format("expected {}s, as in the training data", noun));
    }
    notes.push_back(
        fmt::format("column '{}': {} of {} values are no {}s and count as missing, the first in line {}: '{}'",
                    shown(name), bad, filled, noun, line, shown(example)));
  }
}

// What `missing` says about columns of numbers, beside which there may be words. What is read to learn from it
// (keep_words) cannot keep them missing.
MissingNumbers missing_numbers(const ReadOptions& options) {
  switch (options.missing) {
    case Missing::kKeep:
      return options.keep_words ? MissingNumbers::kMean : MissingNumbers::kKeep;
    case Missing::kAuto:
    case Missing::kMean:
      return MissingNumbers::kMean;
    case Missing::kZero:
      return MissingNumbers::kZero;
    case Missing::kError:
    case Missing::kDropSample:
      break;
  }
  return MissingNumbers::kKeep;
}

// Counts missing numbers: for a note if something stands for them, and otherwise for whoever decides what to do.
void count_missing_numbers(const CellTable& records, const ColumnPlan& plan, MissingNumbers treatment, bool is_refused,
                           ParsedData& data) {
  Index missing = 0;
  Index first_line = 0;
  std::string_view first_column;
  for (std::size_t k = 0; k < plan.features.size(); ++k) {
    const auto& [name, kind] = plan.features[k];
    if (kind != ColumnKind::kNumber && kind != ColumnKind::kDate) continue;
    // A column that is missing as a whole has a note of its own.
    if (plan.places[k] < 0 && treatment != MissingNumbers::kKeep) continue;
    for (Index r = 0; r < records.rows(); ++r) {
      const std::string_view cell = plan.places[k] < 0 ? std::string_view() : records.cell(r, plan.places[k]);
      if (!cell.empty() && !is_odd_number(cell, kind)) continue;
      const Index line = records.lines[static_cast<std::size_t>(r)];
      if (missing++ == 0 || line < first_line) {
        first_line = line;
        first_column = name;
      }
    }
  }
  if (missing == 0) return;
  if (treatment == MissingNumbers::kKeep || is_refused) {
    data.missing_values = missing;
    data.first_missing = {.file = records.file, .line = first_line};
    return;
  }
  data.notes.push_back(fmt::format(
      "{} in columns of numbers count as {}, the first in line {}, column {}", counted(missing, "missing value"),
      treatment == MissingNumbers::kZero ? "0" : "the mean of the column", first_line, quoted_name(first_column)));
}

}  // namespace

std::vector<BadRow> bad_records(const CellTable& records, const ReadOptions& options) {
  std::vector<BadRow> bad;
  if (records.rows() == 0) return bad;
  std::vector<std::string> ignored;
  const ColumnPlan plan = plan_of(records, options, ignored);
  for (Index r = 0; r < records.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (std::size_t k = 0; k < plan.features.size(); ++k) {
      if (plan.places[k] < 0 || !is_odd_number(records.cell(r, plan.places[k]), plan.features[k].kind)) continue;
      // A record of CSV may take several lines.
      const Index end = r + 1 < records.rows() ? records.lines[row + 1] : std::numeric_limits<std::int32_t>::max();
      bad.push_back({.row = r,
                     .line = records.lines[row],
                     .lines = end - records.lines[row],
                     .reason = fmt::format("'{}' in column {} is not a {}", shown(records.cell(r, plan.places[k])),
                                           quoted_name(plan.features[k].name),
                                           plan.features[k].kind == ColumnKind::kNumber ? "number" : "date")});
      break;
    }
  }
  return bad;
}

bool asks_for_columns(const ReadOptions& options) {
  const bool has_plan = options.vectorizer && !options.vectorizer->options.columns.empty();
  return has_plan || !options.text_columns.empty() || !options.numeric_columns.empty() ||
         !options.categorical_columns.empty() || !options.ignore_columns.empty() || !options.label_levels.empty();
}

ParsedData read_records(const CellTable& records, const ReadOptions& options, std::vector<std::string> notes,
                        Context& ctx) {
  ParsedData data;
  data.notes = std::move(notes);
  if (records.rows() == 0) throw input_error({.file = records.file}, "no rows", "expected at least one");
  ColumnPlan plan = plan_of(records, options, data.notes);
  count_odd_numbers(records, plan, data.notes);
  add_labels(records, plan, options, data);
  data.path_separator = plan.separator;
  ReadOptions planned = options;
  planned.text.columns = plan.features;
  planned.text.label_separator = plan.separator;
  const bool is_learnt = options.vectorizer && !options.vectorizer->options.columns.empty();
  if (!is_learnt) planned.text.missing_numbers = missing_numbers(options);
  count_missing_numbers(records, plan,
                        is_learnt ? options.vectorizer->options.missing_numbers : planned.text.missing_numbers,
                        options.missing == Missing::kError, data);
  for (const Index column : plan.labels) {
    planned.text.label_columns.push_back(records.columns[static_cast<std::size_t>(column)]);
  }
  if (plan.sample >= 0) {
    for (Index r = 0; r < records.rows(); ++r) data.sample_names.emplace_back(records.cell(r, plan.sample));
  }
  TextFeatures features(planned, ctx);
  const std::vector<Index> ends = row_chunks(records);
  std::vector<WordCounts> counts(ends.size());
  parallel_for(ctx, std::ssize(ends), 1, [&](Index k, Index) {
    const auto c = static_cast<std::size_t>(k);
    counts[c] = count_rows(records, plan, features.text_options(), c == 0 ? 0 : ends[c - 1], ends[c]);
  });
  features.finish(std::move(counts), {}, records.file, data, ctx);
  return data;
}

}  // namespace clade
