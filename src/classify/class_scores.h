#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/predictions.h>

#include <vector>

#include "classify/output_scorer.h"
#include "classify/predict.h"

namespace clade {

// The scores F(x, y) of all classes of a joint model, for one sample after the other. Scratch of its own: one per
// thread.
class ClassScores {
 public:
  explicit ClassScores(const Model& model);

  // In the order of the classes; valid until the next call.
  const std::vector<double>& of(const Dataset& data, Index sample);

 private:
  const Model& model_;
  OutputScorer scorer_;
  std::vector<double> outputs_;
  std::vector<double> scores_;
};

// Prediction by a joint model: the labels that options.label_rule says. Ranked: all classes, and scores less the
// sample's threshold where the model has one.
Predictions predict_classes(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx);

}  // namespace clade
