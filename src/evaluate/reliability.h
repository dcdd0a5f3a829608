#pragma once

#include <clade/evaluate.h>

#include <optional>
#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"
#include "evaluate/node_areas.h"
#include "evaluate/outcomes.h"

namespace clade {

// The first label of a sample, compared with the truth. Node counts include ancestors, and the root if asked for.
struct FirstLabel {
  double score = 0;
  bool is_right = false;  // it is one of the true labels
  std::int32_t true_nodes = 0;
  std::int32_t predicted_nodes = 0;
  std::int32_t common_nodes = 0;
};

// How well scores serve as probabilities, and what leaving out the less certain samples would gain. Does not depend on
// the order of the samples. Requires at least one sample and scores within [0, 1]. O(samples log samples).
Reliability reliability_of(std::vector<FirstLabel> samples);

// The same for the samples of an evaluation, or nothing if the scores are not probabilities. Throws Error (kInput) if
// options.probabilities says that they are and they cannot be.
std::optional<Reliability> measure_reliability(const Outcomes& outcomes, const AncestorTable& table,
                                               const EvaluateOptions& options, Context& ctx);

// Adds what the scores of nodes, which must lie within [0, 1], are worth as probabilities. O(samples x nodes).
void add_node_errors(const Outcomes& outcomes, const AncestorTable& table, const NodeScoreRows& scores,
                     std::span<const NodeId> left_out, Reliability& result);

}  // namespace clade
