#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "math/dense.h"
#include "math/pooled_ranking.h"

namespace clade {

// How many pairs of a sample and a node lie at each place.
struct PlaceCounts {
  static constexpr std::size_t kPlaces = 256;
  std::array<double, kPlaces> positive{};
  std::array<double, kPlaces> all{};
  double positives = 0;

  void add(const PlaceCounts& other, double factor = 1);
};

// The scores of pairs as places among thresholds, so that many choices of thresholds can be tried fast: place k means
// that the score reaches threshold k, but not k - 1. Thresholds descend; they are scores of positive pairs, all of them
// if there are at most 255. Samples fall into kParts ranges of rows, which choices are tried on in turn.
class PlacedScores {
 public:
  static constexpr int kParts = 5;
  static constexpr int kNoPart = -1;

  PlacedScores(const Matrix& scores, const PositivePairs& members, Context& ctx);

  const std::vector<double>& thresholds() const { return thresholds_; }
  int cuts() const { return static_cast<int>(thresholds_.size()); }
  Index samples() const { return samples_; }
  Index columns() const { return columns_; }
  Index part_begin(int part) const { return samples_ * part / kParts; }
  // The places of all samples at a node.
  std::span<const std::uint8_t> column(Index c) const {
    return {places_.data() + c * samples_, static_cast<std::size_t>(samples_)};
  }
  // The samples that belong to a node, ascending.
  std::span<const std::int32_t> members_of(Index c) const {
    const auto at = static_cast<std::size_t>(c);
    return {rows_.data() + row_begin_[at], row_begin_[at + 1] - row_begin_[at]};
  }
  // Of one node, in one part or, with kNoPart, in all.
  PlaceCounts counts(Index c, int part) const;

 private:
  Index samples_;
  Index columns_;
  std::vector<double> thresholds_;
  std::vector<std::uint8_t> places_;
  std::vector<std::size_t> row_begin_;
  std::vector<std::int32_t> rows_;
};

// The place down to which pairs are to be taken so that 2 x (true among those taken) - slope x (those taken) is
// largest; the fewest of equals; -1: none at all.
//
// Micro F1 is 2 x (true among those taken) / (taken + positives): the choice that maximises it maximises this
// difference for the slope that is the largest F1 itself (Dinkelbach 1967), and the difference is a sum over groups of
// pairs, each of which may have a threshold of its own.
int best_cut_at(const PlaceCounts& counts, double slope, int cuts);

}  // namespace clade
