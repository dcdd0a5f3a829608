#include "select/filter/discrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/parallel.h"
#include "select/row_values.h"

namespace clade {
namespace {

constexpr std::uint32_t kMostLevels = 65536;
constexpr std::uint32_t kMostNarrowLevels = 256;
// A listed sample takes five bytes and a random access instead of one byte in sequence.
constexpr Index kListedShare = 8;
constexpr Index kColumnGrain = 16;  // columns gathered from the rows at a time

// Assigns levels to groups of equal values, which come in ascending order.
class Levels {
 public:
  Levels(Index samples, Discretise how, int bins) : samples_(samples), how_(how), bins_(bins) {}

  std::uint32_t next(Index group_size) {
    const Index bin = how_ == Discretise::kRound ? groups_ : below_ * bins_ / samples_;
    if (groups_ == 0 || bin != bin_) ++levels_;
    bin_ = bin;
    below_ += group_size;
    ++groups_;
    return levels_ - 1;
  }
  std::uint32_t next_missing() { return levels_++; }
  std::uint32_t count() const { return levels_; }

 private:
  Index samples_;
  Discretise how_;
  int bins_;
  Index below_ = 0;
  Index groups_ = 0;
  Index bin_ = 0;
  std::uint32_t levels_ = 0;
};

struct Coded {
  std::uint32_t row;
  std::uint32_t level;
};

struct Coding {
  std::uint32_t levels = 0;
  std::uint32_t zero = 0;      // the level of values that are not stored
  std::vector<Coded> entries;  // levels ascending
};

Coding code(std::vector<ColumnEntry>& entries, Index samples, Discretise how, int bins) {
  if (how == Discretise::kRound) {
    for (auto& e : entries) e.value = std::round(e.value);
    std::erase_if(entries, [](const ColumnEntry& e) { return e.value == 0; });  // often nothing is left to sort
  }
  const auto before = [](const ColumnEntry& a, const ColumnEntry& b) {
    if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value) && std::isnan(b.value);
    return a.value < b.value;
  };
  std::sort(entries.begin(), entries.end(), before);
  const Index zeros = samples - std::ssize(entries);
  Levels levels(samples, how, bins);
  Coding result;
  result.entries.reserve(entries.size());
  bool zeros_done = zeros == 0;
  for (std::size_t k = 0; k < entries.size();) {
    const double value = entries[k].value;
    std::size_t end = k;
    while (end < entries.size() && !before(entries[k], entries[end])) ++end;
    const bool joins_zeros = value == 0 && !zeros_done;
    if (!zeros_done && !(value < 0)) {
      result.zero = levels.next(zeros + (joins_zeros ? static_cast<Index>(end - k) : 0));
      zeros_done = true;
    }
    const std::uint32_t level = joins_zeros         ? result.zero
                                : std::isnan(value) ? levels.next_missing()
                                                    : levels.next(static_cast<Index>(end - k));
    for (; k < end; ++k) result.entries.push_back({entries[k].row, level});
  }
  if (!zeros_done) result.zero = levels.next(zeros);
  result.levels = levels.count();
  return result;
}

struct Listing {
  std::uint16_t common = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint16_t> levels;
};

Listing list_stored(const Coding& coding) {
  Listing list;
  list.common = static_cast<std::uint16_t>(coding.zero);
  std::vector<Coded> entries = coding.entries;
  std::sort(entries.begin(), entries.end(), [](const Coded& a, const Coded& b) { return a.row < b.row; });
  for (const Coded& e : entries) {
    if (e.level == coding.zero) continue;
    list.rows.push_back(e.row);
    list.levels.push_back(static_cast<std::uint16_t>(e.level));
  }
  return list;
}

std::vector<std::uint16_t> levels_of_all(const Coding& coding, Index samples) {
  std::vector<std::uint16_t> all(static_cast<std::size_t>(samples), static_cast<std::uint16_t>(coding.zero));
  for (const Coded& e : coding.entries) all[e.row] = static_cast<std::uint16_t>(e.level);
  return all;
}

Listing list_uncommon(const std::vector<std::uint16_t>& all, std::uint32_t levels) {
  std::vector<Index> counts(levels, 0);
  for (const auto level : all) ++counts[level];
  Listing list;
  list.common = static_cast<std::uint16_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] == list.common) continue;
    list.rows.push_back(static_cast<std::uint32_t>(r));
    list.levels.push_back(all[r]);
  }
  return list;
}

void store(std::vector<std::uint16_t> levels, DiscreteColumn& column) {
  if (column.levels <= kMostNarrowLevels) {
    for (const auto level : levels) column.narrow.push_back(static_cast<std::uint8_t>(level));
  } else {
    column.wide = std::move(levels);
  }
}

bool is_short(Index length, Index samples) {
  return length * kListedShare < samples;
}

// Keeps the list if it is short, and all levels otherwise, which may be left out if it is.
DiscreteColumn compact(Listing list, std::vector<std::uint16_t> all, std::uint32_t levels, Index samples) {
  DiscreteColumn column;
  column.levels = levels;
  column.listed = is_short(std::ssize(list.rows), samples);
  if (column.listed) {
    column.common = list.common;
    column.rows = std::move(list.rows);
    store(std::move(list.levels), column);
  } else {
    store(std::move(all), column);
  }
  return column;
}

DiscreteColumn compact(std::vector<std::uint16_t> all, std::uint32_t levels) {
  Listing list = list_uncommon(all, levels);
  const auto samples = std::ssize(all);
  return compact(std::move(list), std::move(all), levels, samples);
}

// Puts the smallest values that come at the given places, which ascend, where sorting would put them.
void select_places(std::span<double> values, std::span<const Index> places, Index offset) {
  if (places.empty()) return;
  const std::size_t middle = places.size() / 2;
  const auto at = static_cast<std::size_t>(places[middle] - offset);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  select_places(values.first(at), places.first(middle), offset);
  select_places(values.subspan(at + 1), places.subspan(middle + 1), places[middle] + 1);
}

// Equal frequency without sorting, for a column without missing values, all given. A value belongs to bin k or above
// if at least ceil(k n / bins) values are smaller, that is, if it is larger than the last of so many smallest.
DiscreteColumn equal_frequency(std::span<const double> values, int bins) {
  const auto n = std::ssize(values);
  std::vector<Index> places;
  for (Index k = 1; k < bins; ++k) {
    const Index place = (k * n + bins - 1) / bins - 1;
    if (places.empty() || places.back() < place) places.push_back(place);
  }
  std::vector<double> sorted(values.begin(), values.end());
  select_places(sorted, places, 0);
  std::vector<double> bounds;
  for (const Index place : places) {
    const double bound = sorted[static_cast<std::size_t>(place)];
    if (bounds.empty() || bounds.back() < bound) bounds.push_back(bound);
  }
  // Bins between different bounds have values: the upper bound is one. Above the last there may be none.
  std::vector<std::uint16_t> levels(values.size());
  constexpr std::size_t kFew = 16;
  std::uint16_t highest = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double value = values[r];
    std::ptrdiff_t level = 0;
    if (bounds.size() <= kFew) {
      for (const double bound : bounds) level += bound < value ? 1 : 0;
    } else {
      level = std::ranges::lower_bound(bounds, value) - bounds.begin();
    }
    levels[r] = static_cast<std::uint16_t>(level);
    highest = std::max(highest, levels[r]);
  }
  return compact(std::move(levels), highest + 1U);
}

// The values of some columns, a vector each.
std::vector<std::vector<double>> gather(const Dataset& data, const NodeTable& table, Index begin, Index end) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(end - begin),
                                          std::vector<double>(table.rows.size()));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for_each_value_between(data, table.rows[r], begin, end,
                           [&](Index j, double x) { values[static_cast<std::size_t>(j - begin)][r] = x; });
  }
  return values;
}

}  // namespace

DiscreteColumn discretise(std::vector<ColumnEntry>& entries, Index samples, Discretise how, int bins,
                          const std::string& feature) {
  const Coding coding = code(entries, samples, how, bins);
  if (coding.levels > kMostLevels) {
    throw usage_error(fmt::format("mrmr: feature {} has {} different values when rounded", feature, coding.levels),
                      fmt::format("at most {}; use `discretise` equal-frequency", kMostLevels));
  }
  // A column with few stored values is never expanded, not even here.
  if (is_short(std::ssize(coding.entries), samples)) return compact(list_stored(coding), {}, coding.levels, samples);
  return compact(levels_of_all(coding, samples), coding.levels);
}

std::vector<DiscreteColumn> discretise(const Dataset& data, const NodeTable& table, Discretise how, int bins,
                                       Context& ctx) {
  std::vector<DiscreteColumn> columns(static_cast<std::size_t>(data.features()));
  const auto column_at = [&](Index j) -> DiscreteColumn& { return columns[static_cast<std::size_t>(j)]; };
  const bool selects = how == Discretise::kEqualFrequency && !is_sparse(data.matrix());
  // Collects missing values, but none that are 0 or will round to it.
  const double least = how == Discretise::kRound ? 0.5 : std::numeric_limits<double>::denorm_min();
  parallel_for(ctx, data.features(), kColumnGrain, [&](Index begin, Index end) {
    if (selects) {
      const std::vector<std::vector<double>> values = gather(data, table, begin, end);
      bool has_missing = false;
      for (Index j = begin; j < end; ++j) {
        const auto& own = values[static_cast<std::size_t>(j - begin)];
        const bool is_whole = std::ranges::none_of(own, [](double x) { return std::isnan(x); });
        if (is_whole) column_at(j) = equal_frequency(own, bins);
        has_missing = has_missing || !is_whole;
      }
      if (!has_missing) return;
    }
    std::vector<std::vector<ColumnEntry>> entries(static_cast<std::size_t>(end - begin));
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for_each_value_between(data, table.rows[r], begin, end, [&](Index j, double x) {
        if (!(std::abs(x) < least))
          entries[static_cast<std::size_t>(j - begin)].push_back({static_cast<std::uint32_t>(r), x});
      });
    }
    for (Index j = begin; j < end; ++j) {
      column_at(j) = discretise(entries[static_cast<std::size_t>(j - begin)], table.samples(), how, bins,
                                data.feature_name(static_cast<FeatureIndex>(j)));
    }
  });
  return columns;
}

}  // namespace clade
