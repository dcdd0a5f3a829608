#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/progress.h"

namespace clade {

// How far the largest violation has come on its way to the tolerance, by its logarithm; the first pass counts by
// itself, because nothing is known before it ends.
class SolverProgress {
 public:
  SolverProgress(const Context& ctx, double tolerance) : progress_(ctx, "training", kUnits), tolerance_(tolerance) {}

  void visited(Index samples, Index of) {
    if (first_ == 0) move_to(1 + (kFirstPass - 1) * samples / std::max<Index>(1, of));
  }
  void reached(double violation) {
    if (first_ == 0) first_ = std::max(violation, tolerance_);
    const double way = std::log(first_ / tolerance_);
    const double share = way > 0 ? std::log(first_ / std::max(violation, tolerance_)) / way : 1;
    move_to(kFirstPass + static_cast<Index>(std::clamp(share, 0.0, 1.0) * (kUnits - kFirstPass - 1)));
  }

 private:
  static constexpr Index kUnits = 1000;
  static constexpr Index kFirstPass = 100;

  void move_to(Index units) {
    if (units > done_) progress_.advance(units - std::exchange(done_, units));
  }

  Progress progress_;
  double tolerance_;
  double first_ = 0;
  Index done_ = 0;
};

}  // namespace clade
