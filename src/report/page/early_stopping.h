#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/model.h>

#include <vector>

namespace clade {

// What answering at the deepest node whose probability reaches a threshold gives.
struct EarlyStop {
  double threshold = 0;
  double answered = 0;  // share of the samples that are answered below the root
  double right = 0;     // share of those whose answer is a true label or above one
  double full = 0;      // share of all samples that are answered as deep as without a threshold
  double depth = 0;     // the depth of the answer over that without a threshold, mean over all samples
};

// From low thresholds to high ones, up to the last at which some sample is answered. Empty unless the model has
// probabilities, one label per sample, and a tree.
std::vector<EarlyStop> early_stopping(const Model& model, const Dataset& data, const JudgedSamples& judged,
                                      const Taxonomy& taxonomy, const PredictOptions& options, Context& ctx);

}  // namespace clade
