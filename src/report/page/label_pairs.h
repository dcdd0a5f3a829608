#pragma once

#include <clade/evaluate.h>
#include <clade/taxonomy.h>

#include <vector>

#include "report/page/mistakes.h"

namespace clade {

// What predicted labels are: how often a predicted label is true (`truth` is the same), or wrong, with the nearest true
// one.
struct LabelPair {
  NodeId truth = 0;
  NodeId predicted = 0;
  int distance = 0;
  Index count = 0;
};

// By truth and prediction. `wrong` is that of wrong_labels().
std::vector<LabelPair> label_pairs(const JudgedSamples& judged, const std::vector<WrongLabel>& wrong);

}  // namespace clade
