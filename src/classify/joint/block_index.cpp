#include "classify/joint/block_index.h"

#include <algorithm>

namespace clade {

void BlockIndex::set(const TrainingRows& rows, Index begin, Index end) {
  for (const std::int32_t f : features_) slot_[static_cast<std::size_t>(f)] = kNone;
  features_.clear();
  begin_.assign(1, 0);
  for (Index i = begin; i < end; ++i) {
    for (const std::int32_t f : rows.columns_of(i)) {
      std::int32_t& slot = slot_[static_cast<std::size_t>(f)];
      if (slot == kNone) {
        slot = static_cast<std::int32_t>(features_.size());
        features_.push_back(f);
        begin_.push_back(0);
      }
      ++begin_[static_cast<std::size_t>(slot) + 1];
    }
  }
  // Where the entries of every feature begin; each moves its own on to the end, where the next ones begin.
  std::size_t sum = 0;
  for (std::size_t k = 1; k < begin_.size(); ++k) {
    const std::size_t count = begin_[k];
    begin_[k] = sum;
    sum += count;
  }
  entries_.resize(sum);
  for (Index i = begin; i < end; ++i) {
    const auto columns = rows.columns_of(i);
    const auto values = rows.values_of(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto slot = static_cast<std::size_t>(slot_[static_cast<std::size_t>(columns[k])]);
      entries_[begin_[slot + 1]++] = {static_cast<std::int32_t>(i - begin), values[k]};
    }
  }
}

void BlockIndex::products(std::span<const std::int32_t> columns, std::span<const double> values,
                          std::span<double> inner) const {
  std::ranges::fill(inner, 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::int32_t slot = slot_[static_cast<std::size_t>(columns[k])];
    if (slot == kNone) continue;
    for (const Entry& e : entries(static_cast<std::size_t>(slot))) {
      inner[static_cast<std::size_t>(e.place)] += values[k] * e.value;
    }
  }
}

}  // namespace clade
