#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/predictions.h>

#include <optional>
#include <span>
#include <vector>

#include "evaluate/node_areas.h"

namespace clade {

// evaluate() without a baseline. `node_scores` are those of the samples, if known. `decided` as for find_outcomes().
Evaluation measure_predictions(const Dataset& data, const Predictions& predictions,
                               const std::optional<NodeScoreRows>& node_scores, const EvaluateOptions& options,
                               std::span<const Index> folds, Context& ctx, const Predictions* decided = nullptr);

// The label set that has the largest hierarchical F1 (micro average, without the root) if every one of the samples gets
// it, most frequent label first; a single one of the samples' labels if no sample has two. Empty if no sample has a
// label. O(samples x ancestors of their labels + nodes log nodes).
std::vector<NodeId> constant_prediction(const Dataset& data, std::span<const Index> samples);

// What the same labels for every sample get. They are nodes of data.taxonomy(); if there are none, they are chosen on
// the data itself. With `scores_nodes`, a node's score is its frequency among the samples of the data.
Baseline measure_constant(const Dataset& data, std::vector<NodeId> labels, bool scores_nodes,
                          const EvaluateOptions& options, std::span<const Index> folds, Context& ctx);
// The same where the samples of each fold get labels chosen on all other folds.
Baseline measure_constant_by_fold(const Dataset& data, bool scores_nodes, const EvaluateOptions& options,
                                  std::span<const Index> folds, Context& ctx);

}  // namespace clade
