#include "evaluate/summary.h"

#include "evaluate/measure_table.h"
#include "evaluate/ratios.h"

namespace clade {
void add_macro(std::span<const NodeScore> nodes, bool count_root, Totals& totals) {
  double counted = 0;
  for (const NodeScore& node : nodes.subspan(count_root ? 0 : 1)) {
    if (node.support + node.predicted == 0) continue;
    ++counted;
    totals.macro_precision += node.precision().value_or(0);
    totals.macro_recall += node.recall().value_or(0);
    totals.macro_f1 += node.f1().value_or(0);
  }
  if (counted == 0) {
    totals.macro_precision = totals.macro_recall = totals.macro_f1 = 1;
    return;
  }
  totals.macro_precision /= counted;
  totals.macro_recall /= counted;
  totals.macro_f1 /= counted;
}

Measures measures_from(const Totals& totals, Average average, bool ranked, double largest_distance) {
  const Scores& sums = totals.sums;
  const auto mean = [&](ScoreColumn column) { return sums[column] / totals.samples; };
  Measures values(kMeasureCount);
  switch (average) {
    case Average::kMicro: {
      const double common = sums[kCommonNodesColumn];
      const double precision = share(common, sums[kPredictedNodesColumn], sums[kTrueNodesColumn]);
      const double recall = share(common, sums[kTrueNodesColumn], sums[kPredictedNodesColumn]);
      values[kHierarchicalPrecision] = precision;
      values[kHierarchicalRecall] = recall;
      values[kHierarchicalF1] = harmonic_mean(precision, recall);
      break;
    }
    case Average::kSamples:
      values[kHierarchicalPrecision] = mean(kSamplePrecisionColumn);
      values[kHierarchicalRecall] = mean(kSampleRecallColumn);
      values[kHierarchicalF1] = mean(kSampleF1Column);
      break;
    case Average::kMacro:
      values[kHierarchicalPrecision] = totals.macro_precision;
      values[kHierarchicalRecall] = totals.macro_recall;
      values[kHierarchicalF1] = totals.macro_f1;
      break;
  }
  values[kAccuracy] = mean(kExactColumn);
  values[kTie] = mean(kTieColumn);
  values[kTieNormalized] = largest_distance > 0 ? mean(kTieColumn) / largest_distance : 0;
  values[kFLca] = mean(kFLcaColumn);
  values[kPLca] = mean(kPLcaColumn);
  values[kRLca] = mean(kRLcaColumn);
  values[kHierarchicalAccuracy] = mean(kLevelsColumn);
  values[kOneAccuracy] = mean(kFirstRightColumn);
  values[kTopLoss] = mean(kTopLossColumn);
  values[kParentAccuracy] = mean(kParentColumn);
  values[kSymmetricLoss] = mean(kSymmetricColumn);
  if (ranked) {
    values[kAveragePrecision] = mean(kAveragePrecisionColumn);
    values[kRankingLoss] = mean(kRankingLossColumn);
    values[kMaximalLoss] = mean(kMaximalLossColumn);
  }
  return values;
}

}  // namespace clade
