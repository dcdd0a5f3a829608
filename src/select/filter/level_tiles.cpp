#include "select/filter/level_tiles.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr std::uint32_t kMostLevels = 16;
constexpr std::size_t kWidth = LevelTiles::kColumns;

using Lanes = std::uint8_t __attribute__((vector_size(kWidth)));

// Adds to counts[b][c] how many of the rows have level b in column c, for levels kLevel. Written out for every level,
// so that the sums stay in registers.
template <std::size_t... kLevel>
void count_levels(const std::uint8_t* tile, std::span<const std::uint16_t> rows, std::uint32_t* counts,
                  std::index_sequence<kLevel...> /*levels*/) {
  constexpr std::size_t kMost = 255;  // that a lane can count
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t end = std::min(rows.size(), at + kMost);
    Lanes sums[sizeof...(kLevel) + 1] = {};
    for (; at < end; ++at) {
      Lanes levels;
      std::memcpy(&levels, tile + std::size_t{rows[at]} * kWidth, kWidth);
      // A comparison is -1 where it holds.
      ((sums[kLevel] -= reinterpret_cast<Lanes>(levels == static_cast<std::uint8_t>(kLevel))), ...);
    }
    for (std::size_t b = 0; b < sizeof...(kLevel); ++b) {
      std::uint8_t lanes[kWidth];
      std::memcpy(lanes, &sums[b], kWidth);
      for (std::size_t c = 0; c < kWidth; ++c) counts[b * kWidth + c] += lanes[c];
    }
  }
}

using Counting = void (*)(const std::uint8_t*, std::span<const std::uint16_t>, std::uint32_t*);

template <std::size_t kPlanes>
void count_planes(const std::uint8_t* tile, std::span<const std::uint16_t> rows, std::uint32_t* counts) {
  count_levels(tile, rows, counts, std::make_index_sequence<kPlanes>());
}

template <std::size_t... kPlanes>
constexpr std::array<Counting, sizeof...(kPlanes)> counting_by_planes(std::index_sequence<kPlanes...> /*all*/) {
  return {&count_planes<kPlanes>...};
}

constexpr auto kCounting = counting_by_planes(std::make_index_sequence<kMostLevels>());

}  // namespace

bool LevelTiles::takes(const DiscreteColumn& column) {
  return !column.listed && column.levels <= kMostLevels;
}

LevelTiles::LevelTiles(const std::vector<DiscreteColumn>& columns, std::vector<std::size_t> numbers, Index samples,
                       Context& ctx)
    : samples_(samples),
      numbers_(std::move(numbers)),
      levels_(numbers_.size()),
      tiles_(static_cast<std::size_t>(tiles())),
      planes_(tiles_.size(), 0),
      rows_(numbers_.size()),
      ends_(numbers_.size()) {
  parallel_for(ctx, tiles(), 1, [&](Index tile, Index) {
    fill_tile(columns, tile);
    for (Index place = tile * kColumns; place < std::min(size(), (tile + 1) * kColumns); ++place) {
      list_rows(columns[number(place)], place);
    }
  });
}

void LevelTiles::fill_tile(const std::vector<DiscreteColumn>& columns, Index tile) {
  const auto at = static_cast<std::size_t>(tile);
  auto& levels = tiles_[at];
  levels.assign(static_cast<std::size_t>(samples_) * kWidth, 0);
  for (Index place = tile * kColumns; place < std::min(size(), (tile + 1) * kColumns); ++place) {
    const DiscreteColumn& column = columns[number(place)];
    levels_[static_cast<std::size_t>(place)] = column.levels;
    planes_[at] = std::max(planes_[at], column.levels - 1);
    const auto lane = static_cast<std::size_t>(place % kColumns);
    for (std::size_t r = 0; r < column.narrow.size(); ++r) levels[r * kWidth + lane] = column.narrow[r];
  }
}

void LevelTiles::list_rows(const DiscreteColumn& column, Index place) {
  auto& rows = rows_[static_cast<std::size_t>(place)];
  auto& ends = ends_[static_cast<std::size_t>(place)];
  rows.resize(column.narrow.size());
  for (std::size_t begin = 0; begin < rows.size(); begin += kRows) {
    const std::size_t end = std::min(rows.size(), begin + static_cast<std::size_t>(kRows));
    std::array<std::uint32_t, kMostLevels + 1> next{};
    for (std::size_t r = begin; r < end; ++r) ++next[column.narrow[r] + 1U];
    next[0] = static_cast<std::uint32_t>(begin);
    for (std::size_t level = 1; level <= column.levels; ++level) {
      next[level] += next[level - 1];
      ends.push_back(next[level]);
    }
    for (std::size_t r = begin; r < end; ++r) rows[next[column.narrow[r]]++] = static_cast<std::uint16_t>(r - begin);
  }
}

std::span<const std::uint16_t> LevelTiles::rows(Index place, Index block, std::uint32_t level) const {
  const auto at = static_cast<std::size_t>(place);
  const std::size_t entry = static_cast<std::size_t>(block) * levels_[at] + level;
  const std::size_t begin = entry == 0 ? 0 : ends_[at][entry - 1];
  return std::span(rows_[at]).subspan(begin, ends_[at][entry] - begin);
}

void LevelTiles::joint_sums(Index first, Index count, Index tile, std::span<const std::int64_t> t,
                            std::span<Sums> sums) const {
  const std::size_t planes = planes_[static_cast<std::size_t>(tile)];
  const Counting counting = kCounting[planes];
  const std::size_t table = planes * kWidth;  // counts of one level of a reference
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(count) * kMostLevels * table, 0);
  const auto counts_of = [&](Index k, std::uint32_t level) {
    return counts.data() + (static_cast<std::size_t>(k) * kMostLevels + level) * table;
  };
  for (Index block = 0; block < blocks(); ++block) {
    const std::uint8_t* const part =
        tiles_[static_cast<std::size_t>(tile)].data() + static_cast<std::size_t>(block * kRows) * kWidth;
    for (Index k = 0; k < count; ++k) {
      for (std::uint32_t level = 0; level < levels_[static_cast<std::size_t>(first + k)]; ++level) {
        counting(part, rows(first + k, block, level), counts_of(k, level));
      }
    }
  }
  for (Index k = 0; k < count; ++k) {
    Sums& own = sums[static_cast<std::size_t>(k)];
    own.fill(0);
    for (std::uint32_t level = 0; level < levels_[static_cast<std::size_t>(first + k)]; ++level) {
      std::size_t total = 0;
      for (Index block = 0; block < blocks(); ++block) total += rows(first + k, block, level).size();
      const std::uint32_t* const of = counts_of(k, level);
      for (std::size_t c = 0; c < kWidth; ++c) {
        std::size_t rest = total;  // has the last level
        for (std::size_t b = 0; b < planes; ++b) {
          own[c] += t[of[b * kWidth + c]];
          rest -= of[b * kWidth + c];
        }
        own[c] += t[rest];
      }
    }
  }
}

}  // namespace clade
