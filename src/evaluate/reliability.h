#pragma once

#include <clade/evaluate.h>

#include <optional>
#include <vector>

#include "evaluate/ancestor_table.h"
#include "evaluate/outcomes.h"

namespace clade {

// The first label of a sample and what became of it. Node counts are with ancestors, the root counted if asked for.
struct FirstLabel {
  double score = 0;
  bool is_right = false;  // it is one of the true labels
  std::int32_t true_nodes = 0;
  std::int32_t predicted_nodes = 0;
  std::int32_t common_nodes = 0;
};

// How far scores can be taken for probabilities, and what leaving out the less certain samples would gain. Does not
// depend on the order of the samples. Requires at least one sample and scores within [0, 1]. O(samples log samples).
Reliability reliability_of(std::vector<FirstLabel> samples);

// The same for the samples of an evaluation, or nothing if the scores are not probabilities. Throws Error (kInput) if
// options.probabilities says they are, and they are not.
std::optional<Reliability> measure_reliability(const Outcomes& outcomes, const AncestorTable& table,
                                               const EvaluateOptions& options, Context& ctx);

}  // namespace clade
