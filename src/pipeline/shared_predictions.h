#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/node_scores.h>
#include <clade/predict.h>
#include <clade/predictions.h>

#include "classify/model_body.h"

namespace clade {

// What predict() and node_scores() give, which the processes of the team find by ranges of samples. All of them call
// this with the same data; the leader gets the whole, and the others nothing.
Predictions predict_together(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);
NodeScores score_nodes_together(const ModelBody& model, const Dataset& data, Consistency consistency, Context& ctx);

}  // namespace clade
