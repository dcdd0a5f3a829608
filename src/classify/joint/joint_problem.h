#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

#include "classify/joint/class_attributes.h"
#include "classify/joint/class_loss.h"

namespace clade {

// The classes of every sample, as ascending numbers.
struct SampleClasses {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> classes;

  Index samples() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const std::int32_t> of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {classes.data() + offsets[s], static_cast<std::size_t>(offsets[s + 1] - offsets[s])};
  }
};

// What joint classifiers learn from, apart from the features.
struct JointProblem {
  std::vector<NodeId> classes;  // leaves of the hierarchy, ascending
  ClassAttributes attributes;
  ClassLoss loss;
  SampleClasses labels;
};

}  // namespace clade
