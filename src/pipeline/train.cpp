#include "classify/train.h"

#include <clade/summary.h>
#include <clade/train.h>
#include <fmt/core.h>

#include <numeric>

#include "classify/apply.h"
#include "classify/classifier.h"
#include "classify/idle_parameters.h"
#include "pipeline/learn_recipe.h"
#include "select/selector.h"

namespace clade {
namespace {

Model handle_of(ModelBody body) {
  return Model(std::make_shared<const ModelBody>(std::move(body)));
}

// A given ranking is compared with the classifier when it trains: a ranking per node may still be the same for all.
ChosenFeatures chosen_by(const Recipe& recipe) {
  if (recipe.select.method.empty()) return recipe.features ? ChosenFeatures::kSame : ChosenFeatures::kAll;
  check_request(recipe.select);
  const auto selector = selector_table().make(recipe.select.method, recipe.select.parameters);
  return selector->ranks_per_node() ? ChosenFeatures::kPerNode : ChosenFeatures::kSame;
}

// Checks the classifier; of one that needs the same features at all nodes, says which selectors choose such.
void check_features(const Classifier& classifier, ChosenFeatures chosen) {
  try {
    classifier.check(chosen);
  } catch (const Error& error) {
    if (chosen != ChosenFeatures::kPerNode) throw;
    classifier.check(ChosenFeatures::kSame);  // throws if the features are not what is wrong
    std::string names;
    for (const MethodInfo& method : selector_table().infos()) {
      if (selector_table().make(method.name)->ranks_per_node()) continue;
      names += (names.empty() ? "" : ", ") + std::string(method.name);
    }
    throw usage_error(error.problem(), fmt::format("{} (such are made by {})", error.expected(), names));
  }
}

std::vector<Index> all_rows(const Dataset& data) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

void check_request(const Recipe& recipe) {
  if (recipe.classifier.empty()) throw usage_error("nothing to train", "expected a `classifier`");
  const std::unique_ptr<Classifier> classifier = classifier_table().make(recipe.classifier, recipe.parameters);
  refuse_idle_parameters(recipe.parameters, classifier->parameters());
  const bool selects = !recipe.select.method.empty();
  if (recipe.features && selects) {
    throw usage_error("`features` and `select` both choose features", "expected one of them");
  }
  if (!recipe.top.empty() && !recipe.features && !selects) {
    throw usage_error("`top` has no effect", "expected `features` or `select` with it");
  }
  check_features(*classifier, chosen_by(recipe));
  if (recipe.missing == Missing::kDropSample) {
    throw usage_error("`missing`: a recipe keeps all samples", "expected drop-sample when the data are read");
  }
}

bool takes_missing_values(const Recipe& recipe) {
  return !recipe.classifier.empty() && recipe.select.method.empty() &&
         classifier_table().make(recipe.classifier, recipe.parameters)->takes_missing_values();
}

Model train(const Dataset& data, const Recipe& recipe, Context& ctx) {
  return train(data, recipe, {}, ctx);
}

Model train(const Dataset& data, const Recipe& recipe, std::span<const double> weights, Context& ctx, ResultsFor whom) {
  check_request(recipe);
  if (const auto only = only_class(data)) {
    ctx.info(fmt::format("all samples are of one class, '{}': there is nothing to learn", *only));
  }
  return handle_of(learn_recipe(data, all_rows(data), recipe, {weights.begin(), weights.end()}, ctx, {}, whom).model);
}

Model continue_training(const Model& model, const Dataset& data, const Parameters& parameters,
                        std::span<const double> weights, Context& ctx) {
  const ModelBody& body = model.body();
  // Sparse data without names may have features that no earlier sample had.
  const bool is_wider = is_sparse(data.matrix()) && !data.has_feature_names() && body.feature_names.empty() &&
                        data.features() > body.features;
  const Dataset fitting = is_wider ? data : with_model_features(data, body, false, ctx, false);
  const std::vector<Index> all = all_rows(fitting);
  const std::vector<Index> labelled = labelled_samples(fitting, all, ctx);
  TrainOptions options;
  options.parameters = parameters;
  options.weight = weights_of(labelled, all, {weights.begin(), weights.end()});
  ModelBody next = continue_training(body, with_model_labels(fitting.subset(labelled), body, ctx).data, options, ctx);
  next.constant = body.constant;
  if (body.conformal) {
    next.conformal = nullptr;
    ctx.info(
        "the scores of the calibration samples are those of the model before, and are dropped: `coverage` needs "
        "a model trained with `conformal`");
  }
  if (!body.node_threshold.empty()) {
    next.node_threshold = body.node_threshold;
    next.decisions = body.decisions;
    ctx.info("label sets are still decided by the thresholds of the first training");
  }
  return handle_of(std::move(next));
}

}  // namespace clade
