#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <span>
#include <vector>

#include "classify/nodes/node_model.h"
#include "data/closed_labels.h"
#include "math/dense.h"

namespace clade {

// Every column gets the largest score of itself and the columns below it. `nodes` are those of the columns, ascending.
void make_columns_consistent(const Taxonomy& taxonomy, std::span<const NodeId> nodes, Matrix& scores, Context& ctx);

// Learns from scores of samples that were not used to compute them (leave-one-out, out of bag, other folds): the map to
// probabilities, and how labels are decided. With several labels, `threshold` is per node of the taxonomy: the cut with
// the largest hierarchical F1 (micro average). With one label per sample, what weighs a path, likewise, and the
// temperature of the labels' probabilities. `scores` are samples x columns, and are made consistent.
void learn_decisions(NodeModel& model, std::vector<double>& threshold, const Dataset& data, const ClosedLabels& labels,
                     Matrix scores, Context& ctx);

// The largest hierarchical F1 (micro average) that such decisions reach on these scores.
double decision_f1(const Dataset& data, const ClosedLabels& labels, Matrix scores, Context& ctx);

// The most specific nodes whose score reaches their threshold, with everything above them counted as reached; the best
// node if there is none. `scores` are by node and consistent; so are thresholds.
std::vector<NodeId> decided_labels(const Taxonomy& taxonomy, std::span<const double> scores,
                                   std::span<const double> threshold);

}  // namespace clade
