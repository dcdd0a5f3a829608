#pragma once

#include <clade/parameters.h>

namespace clade {

// How a model that was trained on samples with several labels decides on label sets.
enum class DecideBy {
  // Classifiers that score all nodes: in their own way, by one threshold of leave-one-out scores. All others: in their
  // own way or by thresholds, one or several, whichever does best on held-out samples.
  kAuto,
  kOwn,    // in the way of the classifier
  kOne,    // one threshold for all nodes
  kLevel,  // one per level, drawn towards the one for all nodes where there are few samples
  kNode,   // one per node, drawn towards that of its level likewise
};

// What thresholds are chosen for.
enum class DecideFor {
  kHierarchicalF1,  // F1 of all pairs of a sample and a node, ancestors included
  kSampleF1,        // mean over the samples of the F1 of their nodes, ancestors included
  kLabelF1,         // F1 of all pairs of a sample and a label, without ancestors
  kRecall,          // the share of true nodes that are found, as long as precision is at least `least_precision`
};

struct DecideOptions {
  DecideBy by = DecideBy::kAuto;
  DecideFor measure = DecideFor::kHierarchicalF1;
  double least_precision = 0.8;  // of kRecall
  // The recipe is learnt this many times more, each time without a part of the samples, which is then scored. 1: once,
  // without a quarter of them. 0: 3, or 1 if there are more than 2,000 samples.
  int folds = 0;
};

void describe(ParameterTable& v, DecideOptions& o);

}  // namespace clade
