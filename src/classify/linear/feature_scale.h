#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

#include <vector>

#include "classify/linear/training_rows.h"

namespace clade {

class EvenBlocks;

// Training sees every feature f as factor[f] (x - mean[f]). Solved weights are scaled back, so that prediction needs no
// scaling. Empty: features stay as they are.
struct FeatureScale {
  std::vector<double> mean;
  std::vector<double> factor;

  bool is_none() const { return mean.empty(); }
  // Turns weights for scaled features into weights for plain ones.
  void undo(const std::vector<FeatureIndex>& features, LinearWeights& weights) const;
};

// Mean 0 and variance 1 over the data set (population); a constant feature becomes 0.
FeatureScale standard_scale(const Dataset& data, Context& ctx);
// The same of the samples of all processes, each of which has the values of its blocks. All processes call it.
FeatureScale standard_scale(const Dataset& data, const EvenBlocks& blocks, Context& ctx);

// How samples are prepared for a linear classifier.
inline constexpr Choice<Scale> kLinearScaleWords[] = {
    {Scale::kAuto, "auto"}, {Scale::kNone, "none"}, {Scale::kStandard, "standard"}, {Scale::kUnit, "unit"}};

// Throws Error (kInput) if the largest value is so large or so small that its square overflows or underflows: nothing
// could be learnt from such data.
void require_squares(const Dataset& data, Context& ctx);

// What kAuto stands for: none for sparse data, unit for dense data of which few values are other than 0, standard for
// other dense data.
Scale linear_scale(const Dataset& data, Scale choice);

struct PreparedScale {
  FeatureScale features;
  bool has_unit_rows = false;
};
// `choice` is not kAuto. Throws Error (kInput) for kStandard on sparse data, which would become dense, and as
// require_squares() does.
PreparedScale prepared_scale(const Dataset& data, Scale choice, Context& ctx);
PreparedScale prepared_scale(const Dataset& data, Scale choice, const EvenBlocks& blocks, Context& ctx);

}  // namespace clade
