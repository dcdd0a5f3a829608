#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/decide.h>
#include <clade/io.h>
#include <clade/methods.h>
#include <clade/model.h>
#include <clade/select.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Everything that is learnt from data, in one value: vocabulary, treatment of missing values, feature selection, and
// the classifier with its scaling. In cross-validation, and wherever else samples are held out, the whole recipe is
// learnt on the training part alone.
struct Recipe {
  std::string classifier;
  Parameters parameters;  // of the classifier
  SelectOptions select;   // features are first selected on the training samples; no method: they are not
  std::optional<FeatureRanking> features;  // or taken from this ranking, made on with_leaf_labels() of the data
  ParameterValue top;  // features of the ranking to use at each node: a number, or "10%"; empty: all
  // What to do with missing values in the training samples; the model does the same with new samples.
  Missing missing = Missing::kError;
  DecideOptions decide;  // for samples with several labels
};

// All classifiers, in the order in which they are listed.
std::vector<MethodInfo> classifiers();

// Checks what can be checked of the recipe without data. Throws Error (kInput).
void check_request(const Recipe& recipe);

// Does the recipe handle missing values, so that reading the data may keep them?
bool takes_missing_values(const Recipe& recipe);

// Trains a model. Labels at inner nodes are first moved to leaves of their own, and folded back in predictions.
// `weights` has a weight per sample, not negative; empty: 1 each; 0: the sample is left out. Throws Error (kInput) if
// the arguments do not fit together. Where a team shares the work and only its leader needs the model, nobody has to
// send it to the others (ResultsFor::kLeader); what they get is incomplete, and good for nothing.
Model train(const Dataset& data, const Recipe& recipe, Context& ctx);
Model train(const Dataset& data, const Recipe& recipe, std::span<const double> weights, Context& ctx,
            ResultsFor whom = ResultsFor::kAll);

// Continues the training of an online learner with the parameters of the model, except those given. With one epoch,
// training on a stream of samples in two parts gives the same model as training on all at once. The data is read as
// reading_for() says; if features have no names, sparse data may have more of them than the model. Throws Error
// (kInput) if the model cannot be continued, or has no class for a label.
Model continue_training(const Model& model, const Dataset& data, const Parameters& parameters,
                        std::span<const double> weights, Context& ctx);

}  // namespace clade
