#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/select.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/model_body.h"

namespace clade {

struct TrainOptions {
  std::string classifier;
  Parameters parameters;                  // of the classifier
  std::optional<FeatureRanking> ranking;  // over the taxonomy with leaf labels, or for the whole data set
  Index top = 0;                          // features of the ranking to use at each node; 0: all
  std::vector<double> weight;             // of samples, not negative; empty: 1 each; 0: left out
  // The data, and the ranking if there is one, when learnt from only some of the samples; empty: they do not depend on
  // the samples.
  struct Relearnt {
    Dataset data;
    std::optional<FeatureRanking> ranking;
    Index top = 0;
  };
  std::function<Relearnt(std::span<const Index> samples)> relearn = {};
  ResultsFor results_for = ResultsFor::kAll;  // as in TrainingInput
};

// Trains a classifier on a data set. Labels at inner nodes are first moved to leaves of their own, and folded back in
// predictions. Values must be finite. Throws Error (kInput) if the arguments do not fit together.
ModelBody train_model(const Dataset& data, const TrainOptions& options, Context& ctx);

// Continues the training of an online learner with the parameters of the model, except those given. With one epoch,
// training on a stream of samples in two parts gives the same model as training on all at once, unless features are
// standardised: the scales stay those of the first part. The data has labels over the model's taxonomy and the model's
// features (with_model_features()), or more if features have no names. Throws Error (kInput) if the model cannot be
// continued, or has no class for a label.
ModelBody continue_training(const ModelBody& model, const Dataset& data, const TrainOptions& options, Context& ctx);

}  // namespace clade
