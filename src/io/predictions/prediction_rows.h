#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include <cstdint>
#include <vector>

#include "io/predictions/sample_file.h"

namespace clade {

// What the rows of a predictions file say, in the order of the file.
struct PredictionRows {
  Buffer<Index> samples;
  Buffer<std::int32_t> ranks;  // from 1; empty: the file has no ranks
  std::vector<NodeId> labels;
  std::vector<double> scores;  // empty: the file has no scores

  Index size() const { return samples.size(); }
  bool has_ranks() const { return ranks.size() > 0; }
  bool has_scores() const { return !scores.empty(); }
};

// Brings the rows in the order of samples and ranks: best first, and where there are no ranks by falling score, then as
// in the file. Rows that stand so already stay where they are. Throws Error with the line in `file` of the first row
// that does not fit those of its sample: a repeated rank or label, a rank that follows none, a score that rises; then
// for samples without any row. Cost: O(samples + rows), and a sort of the rows of each sample that are out of order.
Predictions group_by_sample(PredictionRows rows, const SampleFile& file, const Dataset& data, Context& ctx);

}  // namespace clade
