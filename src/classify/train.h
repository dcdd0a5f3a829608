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
  Index top = 0;                          // features taken from the ranking at each node; 0: all it has
  std::vector<double> weight;             // of samples, not negative; empty: 1 each; 0: left out
  // The data, and the ranking if there is to be one, as they come out if they are learnt from some of the samples
  // alone; empty: they do not depend on the samples.
  struct Relearnt {
    Dataset data;
    std::optional<FeatureRanking> ranking;
    Index top = 0;
  };
  std::function<Relearnt(std::span<const Index> samples)> relearn = {};
};

// Trains a classifier on a data set; labels at inner nodes are moved to leaves of their own first, and folded back in
// predictions. Values must be finite. Throws Error (kInput) for what does not fit together.
ModelBody train_model(const Dataset& data, const TrainOptions& options, Context& ctx);

// Goes on with a model of an online learner, with its own parameters but for those given: the same stream of samples in
// two parts gives the same model as in one (with one epoch). The data have the model's features (with_model_features())
// or, where features have no names, more; and labels over its taxonomy. Throws Error (kInput) for a model that cannot
// go on, or labels that it has no class for.
ModelBody continue_training(const ModelBody& model, const Dataset& data, const TrainOptions& options, Context& ctx);

}  // namespace clade
