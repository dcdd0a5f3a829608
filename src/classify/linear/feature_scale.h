#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "classify/linear/training_rows.h"
#include "core/parameters.h"

namespace clade {

// Every feature f is trained on as factor[f] (x - mean[f]). Solved weights are turned back, so that prediction knows
// nothing of it. Empty: features stay as they are.
struct FeatureScale {
  std::vector<double> mean;
  std::vector<double> factor;

  bool is_none() const { return mean.empty(); }
  // Turns weights for scaled features into weights for plain ones.
  void turn_back(const std::vector<FeatureIndex>& features, LinearWeights& weights) const;
};

// Mean 0 and variance 1 over the data set (population); a constant feature becomes 0.
FeatureScale standard_scale(const Dataset& data, Context& ctx);

// How samples are prepared for a linear classifier.
enum class Scaling {
  kAuto,  // standard for dense data, none for sparse
  kNone,
  kStandard,
  kUnit,  // every sample to length 1
};
inline constexpr Choice<Scaling> kScalingWords[] = {
    {Scaling::kAuto, "auto"}, {Scaling::kNone, "none"}, {Scaling::kStandard, "standard"}, {Scaling::kUnit, "unit"}};

struct PreparedScaling {
  FeatureScale features;
  bool has_unit_rows = false;
};
// Throws Error (kInput) for kStandard on sparse data, which would become dense.
PreparedScaling prepared_scaling(const Dataset& data, Scaling choice, Context& ctx);

}  // namespace clade
