#pragma once

#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "select/filter/discrete.h"

namespace clade {

// Mutual information in bits of a reference variable A and discretised columns B over the same n samples:
//
//   I(A; B) = sum_ab n_ab/n log2( n n_ab / (n_a n_b) ) = (t(n) + sum_ab t(n_ab) - sum_a t(n_a) - sum_b t(n_b)) / n
//
// with t(x) = x log2 x from a table of integers, scaled by the largest power of two that cannot overflow. Integer sums
// do not depend on their order: columns that split the samples alike get exactly equal values, whatever their levels
// are called, so that ties stay ties, and a constant column gets exactly 0. The error is below 1e-10 bits for up to a
// million samples.
class MutualInformation {
 public:
  explicit MutualInformation(Index samples);
  Index samples() const { return samples_; }

  // A, expanded once so that many columns can be compared with it.
  class Reference {
   public:
    Reference(const MutualInformation& information, std::vector<std::uint32_t> levels, std::uint32_t level_count);

   private:
    friend class MutualInformation;
    std::vector<std::uint32_t> level_;  // of all samples
    std::vector<std::uint32_t> count_;  // of each level
    std::int64_t sum_ = 0;              // of t(count)
  };
  Reference reference(const DiscreteColumn& column) const;

  // The sum of t over the levels of B; needed once per column.
  std::int64_t level_sum(const DiscreteColumn& b) const;

  // I(A; B), given `joint` = sum_ab t(n_ab) and the sums over the levels of both.
  double from_sums(std::int64_t joint, std::int64_t a_sum, std::int64_t b_sum) const;
  // t(0) .. t(n), scaled.
  std::span<const std::int64_t> table() const { return t_; }

  // Working memory, one per thread.
  struct Scratch {
    std::vector<std::uint32_t> table;
    std::vector<std::uint64_t> keys;
  };
  // I(A; B), given `b_sum` = level_sum(b). O(samples, or those that B lists, plus the cells of a small table).
  double operator()(const Reference& a, const DiscreteColumn& b, std::int64_t b_sum, Scratch& scratch) const;

 private:
  template <class Level>
  std::int64_t joint_sum(const Reference& a, const DiscreteColumn& b, const std::vector<Level>& levels,
                         Scratch& scratch) const;
  template <class Level>
  std::int64_t sum_by_table(const Reference& a, const DiscreteColumn& b, const std::vector<Level>& levels,
                            std::vector<std::uint32_t>& table) const;
  template <class Level>
  std::int64_t sum_by_sorting(const Reference& a, const DiscreteColumn& b, const std::vector<Level>& levels,
                              std::vector<std::uint64_t>& keys) const;

  Index samples_;
  double unit_;                  // bits per unit of t, over n
  std::vector<std::int64_t> t_;  // x log2 x, scaled
};

}  // namespace clade
