#include "pipeline/learn_recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "classify/train.h"
#include "data/missing.h"
#include "data/text/word_collection.h"
#include "evaluate/baseline.h"
#include "pipeline/learn_decisions.h"

namespace clade {
namespace {

// All samples, with features learnt from some of them.
Dataset features_from(const Dataset& data, std::span<const Index> samples, Missing missing, Context& ctx) {
  // Reading the data has already learnt the vocabulary of all documents.
  const bool has_all = !data.is_view() && std::ssize(samples) == data.samples() && data.words() &&
                       data.vectorizer()->documents == data.samples();
  const Dataset worded = data.words() && !has_all ? with_words_of(data, samples, ctx) : data;
  const bool by_mean = missing == Missing::kMean;
  if (!by_mean && missing != Missing::kZero) return worded;
  Index without_values = 0;
  auto replacement =
      std::make_shared<const Replacement>(by_mean ? feature_means(worded, samples, without_values) : Replacement());
  Index replaced = 0;
  Dataset result = with_replaced_values(worded, std::move(replacement), replaced, ctx);
  if (replaced > 0) {
    for (const std::string& note : replacement_notes(replaced, by_mean, without_values)) ctx.info(note);
  }
  return result;
}

bool depends_on_samples(const Dataset& data, const Recipe& recipe) {
  return data.words() || recipe.missing == Missing::kMean || !recipe.select.method.empty();
}

// What several processes learn from the values of all samples cannot be learnt where each has some of them.
void require_whole_data(const Dataset& data, const std::vector<Index>& labelled, const Recipe& recipe) {
  const auto refuse = [](const std::string& what, const std::string& expected) {
    throw usage_error(what + ", and no process has the values of all samples", expected);
  };
  if (data.words()) refuse("words are counted in all samples", "expected features, not raw text");
  if (std::ssize(labelled) != data.samples()) refuse("some samples have no label", "expected a label for each");
  if (recipe.missing == Missing::kMean || recipe.missing == Missing::kZero) {
    refuse("missing values are replaced in all samples", "expected no `missing`");
  }
  const DecideOptions& decide = recipe.decide;
  const DecideOptions none;
  const bool asks_for_thresholds = decide.by != DecideBy::kAuto || decide.measure != none.measure ||
                                   decide.folds != none.folds || decide.least_precision != none.least_precision;
  if (asks_for_thresholds && decide.by != DecideBy::kOwn) {
    refuse("thresholds are learnt from held-out samples", "expected `decide` own");
  }
}

// Data of which this process has only some rows have no views.
Dataset subset_of(const Dataset& data, std::span<const Index> samples) {
  return data.row_parts() ? data : data.subset({samples.begin(), samples.end()});
}

// A ranking carried over to another vocabulary: features are found by name, and missing ones are left out.
FeatureRanking renamed(FeatureRanking ranking, const Dataset& from, const Dataset& to) {
  if (std::ranges::equal(from.feature_names(), to.feature_names())) return ranking;
  std::unordered_map<std::string_view, FeatureIndex> place;
  for (FeatureIndex f = 0; f < static_cast<FeatureIndex>(to.features()); ++f) {
    place.emplace(to.feature_names()[static_cast<std::size_t>(f)], f);
  }
  for (NodeRanking& node : ranking.nodes) {
    std::vector<FeatureIndex> known;
    std::vector<double> weight;
    for (std::size_t k = 0; k < node.ranking.size(); ++k) {
      const auto found = place.find(from.feature_names()[static_cast<std::size_t>(node.ranking[k])]);
      if (found == place.end()) continue;
      known.push_back(found->second);
      weight.push_back(node.weight[k]);
    }
    node.ranking = std::move(known);
    node.weight = std::move(weight);
    node.common.clear();
  }
  return ranking;
}

// Enough features for all recipes that share the selection.
ParameterValue largest_top(const std::vector<ParameterValue>& tops, const ParameterValue& own, Index features) {
  Index most = own.empty() ? features : parse_top(own.text(), features);
  for (const ParameterValue& top : tops) {
    if (top.empty()) return {};
    // What asks for too much is the error of another recipe.
    try {
      most = std::max(most, parse_top(top.text(), features));
    } catch (const Error&) {
    }
  }
  return own.empty() ? ParameterValue() : ParameterValue(most);
}

void keep_first(FeatureRanking& ranking, Index top) {
  for (NodeRanking& node : ranking.nodes) {
    node.ranking.resize(std::min(node.ranking.size(), static_cast<std::size_t>(top)));
    node.weight.resize(node.ranking.size());
    node.common.resize(std::min(node.common.size(), node.ranking.size()));
  }
}

FeatureRanking ranked_features(const Dataset& features, std::span<const Index> samples, const Recipe& recipe,
                               const SharedScope& scope, const std::string& samples_name, double& spared,
                               Context& ctx) {
  SelectOptions selection = recipe.select;
  selection.top = recipe.top;
  const auto rank = [&] { return select(subset_of(features, samples), selection, ctx); };
  if (scope.learning == nullptr) return rank();
  selection.top = largest_top(scope.tops, recipe.top, features.features());
  std::string key = fmt::format("ranking {} {} {} {} {} {} {} {} {}", scope.name, static_cast<int>(recipe.missing),
                                samples_name, selection.method, static_cast<int>(selection.scale), selection.bias,
                                selection.allow_zero_weights, static_cast<int>(selection.tune), selection.grid);
  for (const auto& [name, value] : selection.parameters) key += fmt::format(" {}={}", name, value.text());
  FeatureRanking ranking = *scope.learning->get<FeatureRanking>(key, spared, [&]() -> SharedLearning::Made {
    auto made = std::make_shared<const FeatureRanking>(rank());
    const double bytes = ranking_bytes(*made);
    return {std::move(made), bytes};
  });
  if (!recipe.top.empty()) keep_first(ranking, parse_top(recipe.top.text(), features.features()));
  return ranking;
}

// The input of the classifier, learnt from some of the samples.
TrainOptions::Relearnt learnt_input(const Dataset& data, std::span<const Index> given, const Recipe& recipe,
                                    const SharedScope& scope, double& spared, Context& ctx) {
  // Recipes that differ in the order of the samples share what does not depend on it.
  std::vector<Index> samples(given.begin(), given.end());
  if (scope.learning != nullptr) std::ranges::sort(samples);
  TrainOptions::Relearnt result{learnt_features(data, samples, recipe.missing, scope, spared, ctx), {}, 0};
  if (!recipe.top.empty()) result.top = parse_top(recipe.top.text(), result.data.features());
  if (recipe.features) result.ranking = renamed(*recipe.features, data, result.data);
  if (recipe.select.method.empty()) return result;
  const std::string name = scope.learning == nullptr ? "" : samples_key(data, samples);
  result.ranking = ranked_features(result.data, samples, recipe, scope, name, spared, ctx);
  for (const auto& note : result.ranking->notes) ctx.info(note);
  if (scope.show) scope.show(*result.ranking);
  return result;
}

}  // namespace

Dataset learnt_features(const Dataset& data, std::span<const Index> samples, Missing missing, const SharedScope& scope,
                        double& spared, Context& ctx) {
  const bool replaces = missing == Missing::kMean || missing == Missing::kZero;
  if (scope.learning == nullptr || (!data.words() && !replaces)) return features_from(data, samples, missing, ctx);
  const std::string key =
      fmt::format("features {} {} {}", scope.name, static_cast<int>(missing), samples_key(data, samples));
  return *scope.learning->get<Dataset>(key, spared, [&]() -> SharedLearning::Made {
    auto made = std::make_shared<const Dataset>(features_from(data, samples, missing, ctx));
    const double bytes = feature_bytes(*made);
    return {std::move(made), bytes};
  });
}

std::vector<Index> labelled_samples(const Dataset& data, const std::vector<Index>& samples, Context& ctx) {
  std::vector<Index> labelled;
  for (const Index s : samples) {
    if (!data.labels(s).empty()) labelled.push_back(s);
  }
  if (labelled.size() == samples.size()) return labelled;
  if (labelled.empty()) throw usage_error("no sample has a label", "expected labels to train on");
  ctx.info(fmt::format("samples without a label, left out of training: {}", samples.size() - labelled.size()));
  return labelled;
}

std::vector<double> weights_of(const std::vector<Index>& some, const std::vector<Index>& samples,
                               std::vector<double> weights) {
  if (weights.empty() || some.size() == samples.size()) return weights;
  std::vector<double> result;
  for (std::size_t k = 0; k < samples.size() && result.size() < some.size(); ++k) {
    if (samples[k] == some[result.size()]) result.push_back(weights[k]);
  }
  return result;
}

LearntRecipe learn_recipe(const Dataset& data, const std::vector<Index>& given, const Recipe& recipe,
                          std::vector<double> weights, Context& ctx, const SharedScope& scope, ResultsFor whom) {
  const Context::NotesOnce once(ctx);
  double spared = 0;
  const std::vector<Index> samples = labelled_samples(data, given, ctx);
  if (data.row_parts()) require_whole_data(data, samples, recipe);
  weights = weights_of(samples, given, std::move(weights));
  TrainOptions::Relearnt learnt = learnt_input(data, samples, recipe, scope, spared, ctx);
  TrainOptions options{.classifier = recipe.classifier,
                       .parameters = recipe.parameters,
                       .ranking = std::move(learnt.ranking),
                       .top = learnt.top,
                       .weight = weights,
                       .results_for = whom};
  if (depends_on_samples(data, recipe)) {
    options.relearn = [&](std::span<const Index> some) {
      std::vector<Index> rows(some.begin(), some.end());
      for (Index& row : rows) row = samples[static_cast<std::size_t>(row)];
      TrainOptions::Relearnt again = learnt_input(data, rows, recipe, scope, spared, ctx);
      again.data = again.data.subset(samples);
      return again;
    };
  }
  ModelBody model = train_model(subset_of(learnt.data, samples), options, ctx);
  model.constant = constant_prediction(data, samples);
  if (!data.row_parts()) {
    learn_label_decisions(model, data, samples, recipe, weights, ctx);
  } else if (has_several_labels(data) && recipe.decide.by == DecideBy::kAuto && model.kind != ModelKind::kNodes) {
    ctx.info("no thresholds are learnt for label sets: no process has the values of all samples");
  }
  return {std::move(learnt.data), std::move(model), spared};
}

}  // namespace clade
