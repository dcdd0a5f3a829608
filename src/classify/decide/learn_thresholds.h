#pragma once

#include <clade/context.h>
#include <clade/decide.h>
#include <clade/taxonomy.h>

#include <vector>

#include "classify/decide/label_decisions.h"
#include "data/closed_labels.h"
#include "math/dense.h"

namespace clade {

// Samples that were held out, in random order, with scores by models that have not seen them.
struct HeldOutNodes {
  const Taxonomy& taxonomy;
  ClosedLabels labels;  // of the samples; frequencies are those of all training samples
  Matrix scores;        // samples x columns of the labels, consistent
  // What the models decide in their own way: columns with all above them. No samples: this is no choice.
  PositivePairs own;
};

struct LearntThresholds {
  LabelDecisions mix;             // with frequencies by column
  DecideBy by = DecideBy::kOne;   // one, level or node; own: there are no thresholds
  std::vector<double> threshold;  // per column; never falls on the way down, above 1: the node is never taken
  double value = 0;               // of the measure on held-out samples, by thresholds learnt from others of them
  double prior_value = 0;         // the same if nodes are decided by their frequencies alone
};

// Learns thresholds and how far the scores are to be trusted, for the measure of the options.
//
// A threshold per level maximises the measure over the pairs of the level and 20 positive pairs that lie as those of
// all levels do; one per node, over its own pairs and 20 that lie as those of its level do. What is tried (trust 0.1 to
// 1; with DecideBy::kAuto also one threshold, a threshold per level or per node) is judged in five parts: by thresholds
// learnt from four of them on the fifth. Something less simple is taken only if it is better by more than one standard
// error of the difference, or two if it replaces frequencies alone, which come first; then the models' own way, one
// threshold, thresholds per level, per node.
//
// `options.by` is not kOwn. Takes 9 bytes per pair besides the scores.
LearntThresholds learn_thresholds(HeldOutNodes held_out, const DecideOptions& options, Context& ctx);

}  // namespace clade
