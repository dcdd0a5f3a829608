#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clade {

// A set of levels of a taxonomy, cleared in O(1).
class LevelSet {
 public:
  explicit LevelSet(int levels) : added_in_(static_cast<std::size_t>(levels), 0) {}
  void clear() {
    ++round_;
    levels_.clear();
  }
  void add(int level) {
    std::int64_t& mark = added_in_[static_cast<std::size_t>(level)];
    if (mark == round_) return;
    mark = round_;
    levels_.push_back(level);
  }
  // Each once, in the order in which they were added.
  const std::vector<int>& levels() const { return levels_; }

 private:
  std::vector<std::int64_t> added_in_;  // by level: the round of its last addition
  std::int64_t round_ = 1;
  std::vector<int> levels_;
};

}  // namespace clade
