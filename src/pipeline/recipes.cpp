#include <clade/error.h>
#include <clade/evaluate.h>
#include <clade/pipeline.h>
#include <clade/recipes.h>
#include <clade/split.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/stopwatch.h"
#include "data/scaling.h"

namespace clade {
namespace {

// What the choice of a recipe depends on.
struct DataKind {
  bool has_sequences = false;
  bool is_text = false;    // made of words here: samples have length 1
  bool is_table = false;   // of numbers and categories, brought to one scale here
  bool is_sparse = false;  // stored so, or with few values other than 0
  bool has_several_labels = false;
  Index samples = 0;
  Index features = 0;
  double joint_size = 0;  // of a joint problem: samples x nodes
};

constexpr Index kMostKernelSamples = 3'000;
constexpr double kMostKernelSize = 1e6;
constexpr double kMostJointSize = 2e7;
constexpr double kMostPathSize = 5e6;
constexpr Index kMostRidgeSamples = 10'000;  // a minute and 1.6 GB
constexpr double kMostRidgeSize = 5e7;
constexpr Index kFewestForestSamples = 100;  // of fewer, the leaves of trees say little
constexpr Index kSamplesPerFeature = 10;     // from which on a linear function of the features is too simple

// Of texts with one label, paths that are scored as a whole: nodes learn from all samples, not only from those below.
Parameters path_parameters() {
  return {{"loss", "hinge"}, {"calibrate", "auto"}};
}

// Linear joint classifiers of dense features: scaled, and kept from fitting each sample.
Parameters weak_parameters() {
  return {{"scale", "standard"}, {"bias", 1}, {"c", 0.1}};
}

bool is_table_without_text(const Dataset& data) {
  if (data.vectorizer() == nullptr) return false;
  const auto& columns = data.vectorizer()->options.columns;
  return !columns.empty() && std::ranges::find(columns, ColumnKind::kText, &DataColumn::kind) == columns.end();
}

DataKind kind_of(const Dataset& data) {
  DataKind kind;
  kind.has_sequences = holds_sequences(data);
  kind.is_table = is_table_without_text(data);
  kind.is_text = data.vectorizer() != nullptr && !kind.is_table;
  kind.is_sparse = kind.is_text || has_few_values(data);
  kind.has_several_labels = has_several_labels(data);
  kind.samples = data.samples();
  kind.features = data.features();
  kind.joint_size = static_cast<double>(data.samples()) * data.taxonomy().size();
  return kind;
}

Parameters sparse_scaling(const DataKind& kind) {
  return kind.is_text || kind.is_table ? Parameters{} : Parameters{{"scale", "unit"}};
}

Parameters joined(Parameters first, const Parameters& second) {
  first.insert(second.begin(), second.end());
  return first;
}

bool can_use_kernel(const DataKind& kind) {
  return kind.samples <= kMostKernelSamples && kind.joint_size <= kMostKernelSize;
}

// Is it cheap to compare all pairs of samples?
bool can_compare_all(const DataKind& kind) {
  return kind.samples <= kMostRidgeSamples && kind.joint_size <= kMostRidgeSize;
}

// Do trees help the kernel? With several labels they make no difference, and need not be paid for.
bool suits_blend(const DataKind& kind) {
  return !kind.has_several_labels && kind.samples >= kFewestForestSamples;
}

// Only classifiers that decide node by node can use features of their own at each node.
bool selects_features(const Recipe& base) {
  return base.features || !base.select.method.empty();
}

Recipe recipe_of(const Recipe& base, std::string classifier, Parameters parameters) {
  Recipe recipe = base;
  recipe.classifier = std::move(classifier);
  recipe.parameters = std::move(parameters);
  return recipe;
}

// The samples that have a label, or a stratified part of them.
Dataset part_of(const Dataset& data, Index most, std::uint64_t seed) {
  std::vector<Index> labelled;
  for (Index s = 0; s < data.samples(); ++s) {
    if (!data.labels(s).empty()) labelled.push_back(s);
  }
  const Dataset all = std::ssize(labelled) == data.samples() ? data : data.subset(labelled);
  if (all.samples() <= most) return all;
  return all.subset(train_test_split(all, static_cast<double>(most) / static_cast<double>(all.samples()), seed).test);
}

constexpr const char* kNoTime = "no time left";

// By how much a recipe must lead the default to be taken in its place: a fifth of the largest standard error that the
// mean of so many values between 0 and 1 can have.
double least_lead(Index samples) {
  return 0.1 / std::sqrt(static_cast<double>(samples));
}

// Measures one recipe; what it cannot do with these data is its problem, not an error.
void measure(TriedRecipe& tried, const Dataset& data, std::span<const Index> folds, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const Evaluation found =
        evaluate(data, tried.recipe, folds, {}, {.confusions = 0, .node_measures = NodeMeasures::kNo}, {}, ctx);
    tried.hierarchical_f1 = found.value("hierarchical_f1");
    tried.accuracy = found.value("accuracy");
  } catch (const Error& error) {
    const bool is_too_slow = error.kind() == Error::Kind::kCancelled && !ctx.cancelled();
    if (error.kind() != Error::Kind::kInput && !is_too_slow) throw;
    tried.problem = is_too_slow ? kNoTime : error.what();
  }
  tried.seconds = seconds_since(start);
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  std::string text = recipe.classifier;
  for (const auto& [name, value] : recipe.parameters) text += fmt::format(" `{}` {}", name, value.text());
  return text;
}

ChosenRecipe default_recipe(const Dataset& data, const Recipe& base) {
  const DataKind kind = kind_of(data);
  const auto chosen = [&](std::string classifier, Parameters parameters, std::string reason) {
    return ChosenRecipe{recipe_of(base, std::move(classifier), std::move(parameters)), std::move(reason)};
  };
  if (kind.has_sequences)
    return chosen("hierarchical-svm", {{"kernel", "subsequence"}, {"calibrate", "auto"}}, "the data are sequences");
  if (!kind.is_text && can_compare_all(kind) && !selects_features(base)) {
    return chosen(suits_blend(kind) ? "blend" : "kernel-ridge", {},
                  fmt::format("{} samples, no raw text", kind.samples));
  }
  if (kind.is_text && !kind.has_several_labels && !selects_features(base) && kind.joint_size <= kMostPathSize) {
    return chosen("path-svm", path_parameters(), "the data are text with one label per document");
  }
  if (kind.is_sparse) {
    return chosen("top-down-svm", joined({{"calibrate", "sigmoid"}}, sparse_scaling(kind)),
                  kind.is_text ? "the data are text" : "most values are 0");
  }
  const bool has_few_features = kind.samples >= kSamplesPerFeature * kind.features;
  if (has_few_features && !selects_features(base) && kind.joint_size <= kMostJointSize) {
    return chosen("hierarchical-svm", joined(weak_parameters(), {{"calibrate", "auto"}}),
                  fmt::format("{} samples of {} dense features", kind.samples, kind.features));
  }
  return chosen("top-down-logistic", {{"calibrate", "temperature"}},
                has_few_features ? "much data of dense features" : "many dense features");
}

Recipe top_down_recipe(const Dataset& data, const Recipe& base) {
  const DataKind kind = kind_of(data);
  if (kind.has_sequences) return recipe_of(base, "hierarchical-svm", {{"kernel", "subsequence"}});
  return recipe_of(base, "top-down-svm", kind.is_sparse ? sparse_scaling(kind) : Parameters{});
}

Recipe with_probabilities(Recipe recipe) {
  const std::vector<MethodInfo> methods = classifiers();
  const auto method = std::ranges::find(methods, recipe.classifier, &MethodInfo::name);
  if (method == methods.end() || recipe.parameters.contains("calibrate")) return recipe;
  const auto has_auto = [](const ParameterInfo& parameter) {
    return parameter.name == "calibrate" && std::ranges::find(parameter.choices, "auto") != parameter.choices.end();
  };
  if (std::ranges::any_of(method->parameters, has_auto)) recipe.parameters["calibrate"] = "auto";
  return recipe;
}

namespace {

// Cheap before dear, as far as that can be said.
std::vector<Recipe> candidates(const DataKind& kind, const Recipe& base) {
  const bool selects = selects_features(base);
  const bool can_join = !selects && kind.joint_size <= kMostJointSize;
  std::vector<Recipe> recipes;
  const auto add = [&](bool fits, std::string classifier, Parameters parameters) {
    if (fits) recipes.push_back(recipe_of(base, std::move(classifier), std::move(parameters)));
  };
  if (kind.has_sequences) {
    add(true, "hierarchical-svm", {{"kernel", "subsequence"}});
    add(true, "flat-svm", {{"kernel", "subsequence"}});
    return recipes;
  }
  const bool compares_all = !selects && can_compare_all(kind);
  const auto add_kernels = [&] {
    add(compares_all && suits_blend(kind), "blend", {});
    add(compares_all, "kernel-ridge", {});
  };
  if (!kind.is_text) add_kernels();
  if (kind.is_sparse) {
    const Parameters scale = sparse_scaling(kind);
    add(!kind.has_several_labels && can_join, "path-svm", joined({{"loss", "hinge"}}, scale));
    add(true, "top-down-svm", joined({{"calibrate", "sigmoid"}}, scale));
    add(can_join, "flat-svm", scale);
    add(can_join, "hierarchical-svm", scale);
    add(kind.has_several_labels && can_join, "path-svm", joined({{"loss", "hinge"}}, scale));
    if (kind.is_text) add_kernels();
    add(true, "top-down-logistic", joined({{"calibrate", "temperature"}}, scale));
    return recipes;
  }
  add(true, "top-down-logistic", {{"calibrate", "temperature"}});
  add(can_join, "flat-svm", weak_parameters());
  add(can_join, "hierarchical-svm", weak_parameters());
  add(true, "top-down-svm", {{"calibrate", "sigmoid"}, {"c", 0.1}});
  add(!selects && can_use_kernel(kind), "hierarchical-svm", {{"kernel", "rbf"}, {"c", 10}});
  add(can_join, "path-svm", {{"c", 0.1}});
  return recipes;
}

}  // namespace

std::vector<Recipe> candidate_recipes(const Dataset& data, const Recipe& base) {
  std::vector<Recipe> recipes = candidates(kind_of(data), base);
  const std::string first = recipe_text(default_recipe(data, base).recipe);
  const auto found =
      std::ranges::find(recipes, first, [](const Recipe& recipe) { return recipe_text(with_probabilities(recipe)); });
  if (found != recipes.end()) std::rotate(recipes.begin(), found, found + 1);
  return recipes;
}

TriedRecipes try_recipes(const Dataset& data, std::vector<Recipe> recipes, const TryOptions& options, Context& ctx) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                          std::chrono::duration<double>(options.budget));
  const Context::NotesOnce once(ctx);
  const Dataset part = part_of(data, options.most_samples, ctx.seed());
  if (part.samples() < 2) throw usage_error("too few samples to try recipes on", "expected two at least");
  const int fold_count = static_cast<int>(std::min<Index>(options.folds, part.samples()));
  const std::vector<int> dealt = stratified_folds(part, fold_count, ctx.seed());
  const std::vector<Index> folds(dealt.begin(), dealt.end());
  TriedRecipes result;
  result.samples = part.samples();
  result.best = -1;
  double needed = 0;  // hierarchical F1 of the next one to be taken
  for (Recipe& recipe : recipes) {
    TriedRecipe& tried = result.recipes.emplace_back();
    tried.recipe = std::move(recipe);
    const bool is_first = result.best < 0;
    if (!is_first && std::chrono::steady_clock::now() >= end) {
      tried.problem = kNoTime;
      continue;
    }
    std::optional<Context::TimeLimit> limit;
    if (!is_first) limit.emplace(ctx, end);
    measure(tried, part, folds, ctx);
    if (!tried.hierarchical_f1) continue;
    if (is_first) needed = *tried.hierarchical_f1 + least_lead(part.samples());
    if (is_first || *tried.hierarchical_f1 > needed) {
      result.best = std::ssize(result.recipes) - 1;
      needed = std::max(needed, *tried.hierarchical_f1);
    }
  }
  if (result.best < 0) throw usage_error("no recipe fits these data: " + result.recipes[0].problem);
  return result;
}

}  // namespace clade
