#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/methods.h>
#include <clade/model.h>
#include <clade/select.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Everything that is learnt from data, as one value: words, treatment of missing values, selection of features, and the
// classifier with its scaling. In cross-validation, and wherever else samples are held out, the whole recipe is learnt
// on the training part alone.
struct Recipe {
  std::string classifier;
  Parameters parameters;  // of the classifier
  SelectOptions select;   // features are selected first, on the training samples; method empty: they are not
  std::optional<FeatureRanking> features;  // or taken from this ranking, made over with_leaf_labels() of the data
  ParameterValue top;                      // features of the ranking used at each node: a number, or "10%"; empty: all
  // What to do with values that are missing in the training samples; the model does the same to new ones.
  Missing missing = Missing::kError;
};

// All classifiers, in the order in which they are listed.
std::vector<MethodInfo> classifiers();

// Throws Error (kInput) for what is wrong with the recipe, whatever the data.
void check_request(const Recipe& recipe);

// Trains a model; labels at inner nodes are moved to leaves of their own first, and folded back in predictions.
// `weights` are those of samples, not negative; empty: 1 each; 0: left out. Throws Error (kInput) for what does not fit
// together.
Model train(const Dataset& data, const Recipe& recipe, Context& ctx);
Model train(const Dataset& data, const Recipe& recipe, std::span<const double> weights, Context& ctx);

// Goes on with a model of an online learner, with its own parameters but for those given: the same stream of samples in
// two parts gives the same model as in one (with one epoch). The data are read as reading_for() says; where features
// have no names, sparse data may have more of them than the model. Throws Error (kInput) for a model that cannot go on,
// or labels that it has no class for.
Model continue_training(const Model& model, const Dataset& data, const Parameters& parameters,
                        std::span<const double> weights, Context& ctx);

}  // namespace clade
