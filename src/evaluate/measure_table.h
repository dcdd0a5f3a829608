#pragma once

#include <cstddef>

namespace clade {

// Places of the measures in measures() and in Evaluation::values.
enum MeasureId : std::size_t {
  kAccuracy,
  kHierarchicalPrecision,
  kHierarchicalRecall,
  kHierarchicalF1,
  kTie,
  kTieNormalized,
  kFLca,
  kPLca,
  kRLca,
  kHierarchicalAccuracy,
  kOneAccuracy,
  kAveragePrecision,
  kRankingLoss,
  kMaximalLoss,
  kTopLoss,
  kParentAccuracy,
  kSymmetricLoss,
  kMeasureCount,
};

}  // namespace clade
