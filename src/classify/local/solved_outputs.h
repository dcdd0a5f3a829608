#pragma once

#include <clade/types.h>

#include <vector>

#include "classify/model_body.h"
#include "classify/pack.h"
#include "core/byte_string.h"

namespace clade {

// What was found for a node, or for some of its children: linear functions of the features, without the weights that
// were dropped.
struct SolvedOutputs {
  std::vector<NodeId> children;  // one per output, unless they vote
  Decision decision = Decision::kScores;
  std::vector<FeatureIndex> features;  // of the columns
  std::vector<SparseOutput> weights;
  std::vector<double> bias;
  bool has_converged = true;

  // Takes the outputs that follow, over the same features.
  void append(SolvedOutputs more);
};

// The same as bytes, for other processes of the same run.
void put(ByteWriter& bytes, const SolvedOutputs& outputs);
SolvedOutputs get_outputs(ByteReader& bytes);

}  // namespace clade
