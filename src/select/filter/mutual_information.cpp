#include "select/filter/mutual_information.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clade {
namespace {

// Four tables of this many cells stay in the L1 cache.
constexpr std::uint64_t kSmallTable = 2048;
// A larger table pays as long as reading it costs no more than filling it.
constexpr std::uint64_t kCellsPerSample = 4;

// Neighbouring samples often fall into the same cell, and then each increment waits for the one before it. So four
// tables take turns.
template <class Level>
void count_small(const std::uint32_t* a, const Level* b, std::size_t n, std::uint32_t stride, std::size_t cells,
                 std::vector<std::uint32_t>& table) {
  table.assign(4 * cells, 0);
  std::uint32_t* const t = table.data();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    ++t[a[i] * stride + b[i]];
    ++t[cells + a[i + 1] * stride + b[i + 1]];
    ++t[2 * cells + a[i + 2] * stride + b[i + 2]];
    ++t[3 * cells + a[i + 3] * stride + b[i + 3]];
  }
  for (; i < n; ++i) ++t[a[i] * stride + b[i]];
  for (std::size_t k = 0; k < cells; ++k) t[k] += t[cells + k] + t[2 * cells + k] + t[3 * cells + k];
}

}  // namespace

MutualInformation::MutualInformation(Index samples) : samples_(samples) {
  const auto n = static_cast<double>(samples);
  // The largest value that occurs is t(n) + t(n), below 2^63.
  const int scale = 61 - static_cast<int>(std::ceil(std::log2(n * std::log2(n) + 2)));
  unit_ = std::ldexp(1.0, -scale) / n;
  t_.assign(static_cast<std::size_t>(samples) + 1, 0);
  for (std::size_t x = 2; x < t_.size(); ++x) {
    const auto value = static_cast<double>(x);
    t_[x] = std::llround(std::ldexp(value * std::log2(value), scale));
  }
}

MutualInformation::Reference::Reference(const MutualInformation& information, std::vector<std::uint32_t> levels,
                                        std::uint32_t level_count)
    : level_(std::move(levels)), count_(level_count, 0) {
  for (const auto level : level_) ++count_[level];
  for (const auto count : count_) sum_ += information.t_[count];
}

MutualInformation::Reference MutualInformation::reference(const DiscreteColumn& column) const {
  std::vector<std::uint32_t> levels(static_cast<std::size_t>(samples_), column.common);
  const auto spread = [&](const auto& given) {
    for (std::size_t k = 0; k < given.size(); ++k) levels[column.listed ? column.rows[k] : k] = given[k];
  };
  spread(column.narrow);
  spread(column.wide);
  return {*this, std::move(levels), column.levels};
}

std::int64_t MutualInformation::level_sum(const DiscreteColumn& b) const {
  std::vector<std::size_t> counts(b.levels, 0);
  for (const auto level : b.narrow) ++counts[level];
  for (const auto level : b.wide) ++counts[level];
  if (b.listed) counts[b.common] = static_cast<std::size_t>(samples_) - b.rows.size();
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [&](std::int64_t sum, std::size_t count) { return sum + t_[count]; });
}

template <class Level>
std::int64_t MutualInformation::sum_by_table(const Reference& a, const DiscreteColumn& b,
                                             const std::vector<Level>& levels,
                                             std::vector<std::uint32_t>& table) const {
  const std::size_t cells = a.count_.size() * b.levels;
  if (b.listed) {
    table.assign(cells, 0);
    for (std::size_t k = 0; k < levels.size(); ++k) ++table[a.level_[b.rows[k]] * b.levels + levels[k]];
    for (std::size_t i = 0; i < a.count_.size(); ++i) {
      std::uint32_t* const row = table.data() + i * b.levels;
      row[b.common] = a.count_[i] - std::accumulate(row, row + b.levels, 0U);
    }
  } else if (cells <= kSmallTable) {
    count_small(a.level_.data(), levels.data(), levels.size(), b.levels, cells, table);
  } else {
    table.assign(cells, 0);
    for (std::size_t k = 0; k < levels.size(); ++k) ++table[a.level_[k] * b.levels + levels[k]];
  }
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < cells; ++k) sum += t_[table[k]];
  return sum;
}

// For many levels of both and few samples: sorts the cells that occur and counts runs.
template <class Level>
std::int64_t MutualInformation::sum_by_sorting(const Reference& a, const DiscreteColumn& b,
                                               const std::vector<Level>& levels,
                                               std::vector<std::uint64_t>& keys) const {
  keys.resize(levels.size());
  for (std::size_t k = 0; k < levels.size(); ++k) {
    keys[k] = (std::uint64_t{a.level_[b.listed ? b.rows[k] : k]} << 32U) + levels[k];
  }
  std::sort(keys.begin(), keys.end());
  // Starts with all samples at the common level of B, then moves those that are listed.
  std::int64_t sum = b.listed ? a.sum_ : 0;
  for (std::size_t k = 0; k < keys.size();) {
    const auto level = static_cast<std::uint32_t>(keys[k] >> 32U);
    const std::size_t first = k;
    while (k < keys.size() && keys[k] >> 32U == level) {
      const std::size_t run = k;
      while (k < keys.size() && keys[k] == keys[run]) ++k;
      sum += t_[k - run];
    }
    if (b.listed) sum += t_[a.count_[level] - (k - first)] - t_[a.count_[level]];
  }
  return sum;
}

template <class Level>
std::int64_t MutualInformation::joint_sum(const Reference& a, const DiscreteColumn& b, const std::vector<Level>& levels,
                                          Scratch& scratch) const {
  const std::uint64_t cells = std::uint64_t{a.count_.size()} * b.levels;
  const bool small = cells <= kSmallTable || cells <= kCellsPerSample * levels.size();
  return small ? sum_by_table(a, b, levels, scratch.table) : sum_by_sorting(a, b, levels, scratch.keys);
}

double MutualInformation::operator()(const Reference& a, const DiscreteColumn& b, std::int64_t b_sum,
                                     Scratch& scratch) const {
  const std::int64_t joint = b.wide.empty() ? joint_sum(a, b, b.narrow, scratch) : joint_sum(a, b, b.wide, scratch);
  return from_sums(joint, a.sum_, b_sum);
}

double MutualInformation::from_sums(std::int64_t joint, std::int64_t a_sum, std::int64_t b_sum) const {
  const std::int64_t value = t_[static_cast<std::size_t>(samples_)] + joint - a_sum - b_sum;
  return static_cast<double>(std::max<std::int64_t>(value, 0)) * unit_;
}

}  // namespace clade
