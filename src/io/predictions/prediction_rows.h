#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include <cstdint>
#include <vector>

#include "io/predictions/sample_file.h"

namespace clade {

// The contents of the rows of a predictions file, in file order.
struct PredictionRows {
  Buffer<Index> samples;
  Buffer<std::int32_t> ranks;  // from 1; empty: the file has no ranks
  std::vector<NodeId> labels;
  std::vector<double> scores;  // empty: the file has no scores

  Index size() const { return samples.size(); }
  bool has_ranks() const { return ranks.size() > 0; }
  bool has_scores() const { return !scores.empty(); }
};

// Sorts the rows by sample and rank, best first; without ranks by falling score, then as in the file. Rows already in
// this order are not moved. Throws Error with the line in `file` of the first row that does not fit the others of its
// sample (a repeated rank or label, a gap in the ranks, a rising score), then for samples without any row. Cost:
// O(samples + rows), and a sort of the rows of each sample that are out of order.
Predictions group_by_sample(PredictionRows rows, const SampleFile& file, const Dataset& data, Context& ctx);

}  // namespace clade
