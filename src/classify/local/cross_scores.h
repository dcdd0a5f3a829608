#pragma once

#include <clade/context.h>

#include "classify/local/node_solver.h"
#include "classify/model_body.h"

namespace clade {

// Scores of a node's samples by classifiers that have not seen them: samples x children, in the table's order.
using CrossScores = std::vector<std::vector<double>>;

CrossScores no_scores(const NodeTable& table);

// The fold of every sample of the table: dealt child by child, so that every fold has its share of each child; without
// random numbers.
std::vector<int> dealt_folds(const NodeTable& table, int folds);
// The same for a whole data set, leaf by leaf.
std::vector<int> dealt_folds(const Dataset& leaves, int folds);

// Adds the scores of the samples of one fold, by a classifier solved on the others. `rows` are those of the table, with
// features learnt without the fold. Weights are pruned like those of the model will be.
void add_fold_scores(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     const NodeSolver& solver, const std::vector<int>& fold, int left_out, double prune, Context& ctx,
                     CrossScores& scores);

Calibration calibration_of(const CrossScores& scores, const NodeTable& table, Index child, bool is_isotonic);
double temperature_of(const CrossScores& scores, const NodeTable& table);

}  // namespace clade
