#pragma once

#include <clade/context.h>
#include <clade/node_scores.h>
#include <clade/predict.h>

#include <span>
#include <vector>

#include "classify/model_body.h"
#include "classify/nodes/score_map.h"

namespace clade {

// A classifier's score at a node says less than how often the node occurs if there are few samples, so both are mixed:
//
//   (1 - trust) frequency(v) + trust map(score(v))
//
// is what a node's threshold is compared with. It never rises on the way down, because neither part does.
struct LabelDecisions {
  ScoreMap map;                   // from scores to probabilities
  std::vector<double> frequency;  // by node: the share of training samples there
  double trust = 1;               // 0 to 1

  double mixed(double mapped, double often) const { return (1 - trust) * often + trust * mapped; }
  // The scores of one sample, by node; the root keeps its own.
  void apply(std::span<double> scores) const;
};

// Does the model decide on label sets by thresholds of nodes, if asked in this way? Any request for its own way does
// that: a policy, a number of labels, a ranking, a probability.
bool decides_by_thresholds(const ModelBody& model, const PredictOptions& options);

// Does predict() rank all classes that the model knows, if asked in this way?
bool ranks_all_classes(const ModelBody& model, const PredictOptions& options);
// Or does it give label sets that the model decided on, even if they hold every class?
bool gives_label_sets(const ModelBody& model, const PredictOptions& options);

// Adds the samples of one after those of another.
void append(const Predictions& more, Predictions& all);

// The label sets for these scores of the model, which are consistent. Requires thresholds.
Predictions decided_sets(const ModelBody& model, const NodeScores& scores, Context& ctx);

}  // namespace clade
