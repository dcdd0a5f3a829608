#pragma once

#include <span>
#include <vector>

#include "classify/linear/training_rows.h"

namespace clade {

// A block of consecutive samples by feature: which of them have it, and with which value. So inner products with all of
// them cost what they have in common, and the weights of a feature can be changed by all of them at once.
class BlockIndex {
 public:
  explicit BlockIndex(Index width) : slot_(static_cast<std::size_t>(width), kNone) {}

  // The samples [begin, end), instead of those before. O(their non-zeros and those of the ones before).
  void set(const TrainingRows& rows, Index begin, Index end);

  // A sample that has a feature, by its place in the block.
  struct Entry {
    std::int32_t place;
    double value;
  };
  // The features that occur, each once, and the samples that have the k-th of them, places ascending.
  std::span<const std::int32_t> features() const { return features_; }
  std::span<const Entry> entries(std::size_t k) const {
    return std::span(entries_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }
  // inner[k] = <x, x_(begin + k)>; it has a place for every sample of the block.
  void products(std::span<const std::int32_t> columns, std::span<const double> values, std::span<double> inner) const;

 private:
  static constexpr std::int32_t kNone = -1;

  std::vector<std::int32_t> slot_;  // feature -> its position in `features_`
  std::vector<std::int32_t> features_;
  std::vector<std::size_t> begin_{0};
  std::vector<Entry> entries_;
};

}  // namespace clade
