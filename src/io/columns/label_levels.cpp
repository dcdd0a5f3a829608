#include "io/columns/label_levels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/text.h"
#include "io/columns/column_plan.h"
#include "io/lines.h"

namespace clade {
namespace {

// How the values of one column go with those of another.
struct Relation {
  Index values = 0;         // distinct, of the first
  Index others = 0;         // distinct, of the second
  bool is_function = true;  // does each value of the first go with one of the second?
  Index repeats = 0;        // rows beyond the first of each value, which could have shown otherwise
  double surprise = 0;      // of all of them, in nats, if the columns had nothing to do with each other
};

Relation relation_of(const CellTable& records, Index from, Index to) {
  struct Seen {
    std::string_view other;
    Index rows = 0;
  };
  std::unordered_map<std::string_view, Seen> seen;
  std::unordered_map<std::string_view, Index> others;
  Relation relation;
  Index rows = 0;
  for (Index r = 0; r < records.rows(); ++r) {
    const std::string_view value = records.cell(r, from);
    const std::string_view other = records.cell(r, to);
    if (value.empty() || other.empty()) continue;
    ++rows;
    ++others[other];
    const auto [known, is_new] = seen.try_emplace(value, Seen{other, 0});
    ++known->second.rows;
    if (known->second.other != other) {
      relation.is_function = false;
      return relation;
    }
  }
  relation.values = std::ssize(seen);
  relation.others = std::ssize(others);
  std::map<std::string_view, Index> repeats;  // in a fixed order, because sums are rounded
  for (const auto& [value, one] : seen) repeats[one.other] += one.rows - 1;
  for (const auto& [other, count] : repeats) {
    relation.repeats += count;
    relation.surprise +=
        static_cast<double>(count) * std::log(static_cast<double>(rows) / static_cast<double>(others.at(other)));
  }
  return relation;
}

constexpr std::size_t kFewestLetters = 3;  // "cat" within "subcat"

// "Sub-Category_2" as "subcategory"
std::string stem_of(std::string_view name) {
  std::string stem = lower_case(name);
  std::erase_if(stem, [](char c) { return (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ' ' || c == '.'; });
  return stem;
}

// "maincategory" and "subcategory" as "category"
std::string_view without_rank(std::string_view stem) {
  constexpr std::array<std::string_view, 7> kPrefixes = {"main", "top",     "parent",   "super",
                                                         "sub",  "primary", "secondary"};
  for (const std::string_view prefix : kPrefixes) {
    if (stem.starts_with(prefix) && stem.size() >= prefix.size() + kFewestLetters) return stem.substr(prefix.size());
  }
  return stem;
}

// Do names tell that two columns are levels of one hierarchy: cat1 and cat3, category and subcategory, genus and
// species?
bool are_named_alike(std::string_view a, std::string_view b) {
  constexpr std::array<std::string_view, 7> kRanks = {"kingdom", "phylum", "class",  "order",
                                                      "family",  "genus",  "species"};
  constexpr std::array<std::string_view, 7> kSections = {"department", "division",    "section",     "segment",
                                                         "category",   "subcategory", "productgroup"};
  const std::string first = stem_of(a);
  const std::string second = stem_of(b);
  if (first.empty() || second.empty()) return false;
  if (without_rank(first) == without_rank(second)) return true;
  const auto both_in = [&](const auto& words) {
    return std::ranges::find(words, first) != words.end() && std::ranges::find(words, second) != words.end();
  };
  if (both_in(kRanks) || both_in(kSections)) return true;
  const bool is_within = first.find(second) != first.npos || second.find(first) != second.npos;
  return is_within && std::min(first.size(), second.size()) >= kFewestLetters;
}

// Numbers that go with a class are no names of groups.
bool holds_numbers(const CellTable& records, Index column) {
  for (Index r = 0; r < records.rows(); ++r) {
    const std::string_view cell = records.cell(r, column);
    if (!cell.empty()) return cell_number(cell).has_value() || cell_date(cell).has_value();
  }
  return false;
}

// A value to copy into a command line: in quotes if it has a blank.
std::string typed(std::string_view value) {
  return value.find(' ') == value.npos ? std::string(value) : fmt::format("'{}'", value);
}

std::string names_of(const std::vector<Index>& columns, const CellTable& records) {
  std::vector<std::string> names;
  for (const Index column : columns) names.push_back(shown(records.columns[static_cast<std::size_t>(column)]));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool LabelLevels::has(Index column) const {
  return std::ranges::find(above, column) != above.end() || std::ranges::find(below, column) != below.end();
}

std::string LabelLevels::list(const CellTable& records, Index label) const {
  std::vector<Index> columns = above;
  columns.push_back(label);
  columns.insert(columns.end(), below.begin(), below.end());
  std::vector<std::string> names;
  for (const Index column : columns) names.push_back(records.columns[static_cast<std::size_t>(column)]);
  return fmt::format("{}", fmt::join(names, ","));
}

LabelLevels find_label_levels(const CellTable& records, Index label, std::span<const Index> candidates) {
  constexpr Index kFewestRepeats = 5;
  // Without a name that tells, only what can be no accident in a table of some size is worth a word.
  constexpr Index kManyRepeats = 100;
  constexpr Index kFewestValues = 3;  // yes and no often go with a class
  constexpr double kNoAccident = 50;
  struct Level {
    Index column;
    Index values;
  };
  std::vector<Level> above;
  std::vector<Level> below;
  LabelLevels levels;
  const std::string& label_name = records.columns[static_cast<std::size_t>(label)];
  for (const Index column : candidates) {
    const bool is_alike = are_named_alike(label_name, records.columns[static_cast<std::size_t>(column)]);
    const Relation up = relation_of(records, label, column);
    if (up.is_function && up.others >= 2 && up.others < up.values && up.repeats >= kFewestRepeats) {
      if (is_alike) {
        above.push_back({column, up.others});
      } else if (up.repeats >= kManyRepeats && up.others >= kFewestValues && up.surprise >= kNoAccident &&
                 !holds_numbers(records, column)) {
        levels.doubtful.push_back(column);
      }
      continue;
    }
    if (!is_alike) continue;
    const Relation down = relation_of(records, column, label);
    if (down.is_function && down.others >= 2 && down.others < down.values && down.repeats >= kFewestRepeats) {
      below.push_back({column, down.values});
    }
  }
  const auto by_size = [](const Level& level) { return std::pair(level.values, level.column); };
  std::ranges::sort(above, {}, by_size);
  std::ranges::sort(below, {}, by_size);
  for (const Level& level : above) levels.above.push_back(level.column);
  for (const Level& level : below) levels.below.push_back(level.column);
  return levels;
}

void note_label_levels(const LabelLevels& levels, const CellTable& records, Index label,
                       std::vector<std::string>& notes) {
  const std::string name = quoted_name(records.columns[static_cast<std::size_t>(label)]);
  std::vector<Index> taken = levels.above;
  taken.insert(taken.end(), levels.below.begin(), levels.below.end());
  if (!taken.empty()) {
    notes.push_back(
        fmt::format("left out as levels of the hierarchy of the label {}: {}; `label-levels` {} learns all "
                    "levels, `categorical-columns` keeps them as features",
                    name, names_of(taken, records), typed(levels.list(records, label))));
  }
  for (const Index column : levels.doubtful) {
    const std::string other = records.columns[static_cast<std::size_t>(column)];
    notes.push_back(fmt::format(
        "column {} has one value for each label: if it is a level above the label, say "
        "`label-levels` {}; if new samples lack it, `ignore-columns` {}",
        quoted_name(other), typed(other + "," + records.columns[static_cast<std::size_t>(label)]), typed(other)));
  }
}

}  // namespace clade
