#pragma once

#include <clade/context.h>

#include "classify/local/node_solver.h"
#include "classify/model_body.h"

namespace clade {

// Scores of a node's samples by classifiers that have not seen them: samples x children, in the table's order.
using CrossScores = std::vector<std::vector<double>>;

// Samples are dealt to folds child by child, so that every fold has its share of each; no random numbers. Weights are
// pruned as those of the model will be.
CrossScores cross_scores(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                         const NodeSolver& solver, int folds, double prune, Context& ctx);

Calibration calibration_of(const CrossScores& scores, const NodeTable& table, Index child, bool is_isotonic);
double temperature_of(const CrossScores& scores, const NodeTable& table);

}  // namespace clade
