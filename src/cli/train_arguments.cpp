#include "cli/train_arguments.h"

#include <clade/error.h>
#include <clade/io.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/comma_list.h"

namespace clade::cli {
namespace {

// Stands for the number of features where it is not known yet.
constexpr Index kManyFeatures = Index{1} << 40U;

// "a=1,b=2"
Parameters assignments(const std::string& text) {
  Parameters result;
  for (const std::string& one : comma_list(text)) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) {
      throw usage_error(fmt::format("--select-parameters: '{}'", text), "expected name=value[,name=value]");
    }
    result[one.substr(0, equals)] = one.substr(equals + 1);
  }
  return result;
}

// What concerns all selectors is no parameter of one of them, unless it has one of that name.
void set_general_parameters(SelectOptions& select) {
  const std::vector<MethodInfo> methods = selectors();
  const auto own = std::ranges::find(methods, select.method, &MethodInfo::name);
  ParameterTable general(select);
  for (const Parameter& parameter : general.parameters()) {
    const auto given = select.parameters.find(std::string(parameter.name));
    if (given == select.parameters.end()) continue;
    if (own != methods.end() &&
        std::ranges::find(own->parameters, parameter.name, &ParameterInfo::name) != own->parameters.end())
      continue;
    general.set(parameter.name, given->second.text());
    select.parameters.erase(given);
  }
}

}  // namespace

void TrainArguments::declare(Arguments& arguments) {
  arguments.option("--classifier", "METHOD", recipe_.classifier, "the classifier; clade train --list shows all");
  arguments.option("--features", "FILE", ranking_, "features to use at each node: a ranking from clade select");
  arguments.option("--select", "METHOD", recipe_.select.method,
                   "select features with this method first, on the training data");
  arguments.option("--select-parameters", "VALUES", select_parameters_,
                   "parameters of --select, such as lambda=5,alpha=0.1");
  arguments.option("--top", "COUNT", top_,
                   "features of the ranking to use at each node: a number, or a share such as 10%");
  arguments.option("--sample-weights", "FILE", weights_, "file with the weight of each training sample, one per line");
  arguments.parameters("Label sets", ParameterTable(recipe_.decide));
  arguments.parameters("Parameters of the classifiers", {"--classifier", "classifier", classifiers()},
                       recipe_.parameters);
}

bool TrainArguments::decides() const {
  const DecideOptions none;
  return recipe_.decide.by != none.by || recipe_.decide.measure != none.measure || recipe_.decide.folds != none.folds ||
         recipe_.decide.least_precision != none.least_precision;
}

void TrainArguments::refuse_idle() const {
  if (is_given()) return;
  const bool is_idle = !ranking_.empty() || !top_.empty() || !recipe_.select.method.empty() ||
                       !select_parameters_.empty() || !weights_.empty() || !recipe_.parameters.empty() || decides();
  if (!is_idle) return;
  const std::string name = recipe_.parameters.empty() ? "--features, --top, --select, --decide and --sample-weights"
                                                      : "--" + recipe_.parameters.begin()->first;
  throw usage_error(name + " concerns training and has no effect", "expected --classifier C with it");
}

void TrainArguments::check() {
  if (!is_given() && !recipe_.parameters.empty()) {
    throw usage_error("--" + recipe_.parameters.begin()->first + " is a parameter of classifiers",
                      "expected --classifier C with it; clade train --list shows all");
  }
  check_decide();
  const bool selects = !recipe_.select.method.empty();
  if (!ranking_.empty() && selects) {
    throw usage_error("--features and --select both choose features", "expected one of them");
  }
  if (!top_.empty() && ranking_.empty() && !selects) {
    throw usage_error("--top has no effect", "expected --features RANKING or --select METHOD with it");
  }
  if (!select_parameters_.empty() && !selects) {
    throw usage_error("--select-parameters has no effect", "expected --select METHOD with it");
  }
  recipe_.select.parameters = assignments(select_parameters_);
  set_general_parameters(recipe_.select);
  recipe_.select.top = top_;
  if (is_given()) {
    check_request(recipe_);
  } else if (selects) {
    check_request(recipe_.select);
  }
  if (!top_.empty()) parse_top(top_, kManyFeatures);
  recipe_.top = top_;
}

void TrainArguments::check_decide() const {
  const DecideOptions& decide = recipe_.decide;
  const DecideOptions none;
  if (decide.by == DecideBy::kOwn && (decide.measure != none.measure || decide.folds != none.folds)) {
    throw usage_error(fmt::format("--{} has no effect with --decide own, which learns no thresholds",
                                  decide.measure != none.measure ? "decide-for" : "decide-folds"),
                      "expected --decide one, level or node with it");
  }
  if (decide.least_precision != none.least_precision && decide.measure != DecideFor::kRecall) {
    throw usage_error("--least-precision has no effect", "expected --decide-for recall with it");
  }
}

void TrainArguments::check_append() const {
  if (!recipe_.classifier.empty()) {
    throw usage_error("--classifier has no effect with --append", "expected the model alone: it knows its classifier");
  }
  if (!ranking_.empty() || !top_.empty() || !recipe_.select.method.empty() || !select_parameters_.empty()) {
    throw usage_error("features cannot be chosen anew with --append", "expected no --features, --select or --top");
  }
  if (decides()) {
    throw usage_error("--decide was settled when the model was first trained", "expected --epochs at most");
  }
  for (const auto& [name, value] : recipe_.parameters) {
    if (name == "epochs") continue;
    throw usage_error("--" + name + " was settled when the model was first trained", "expected --epochs at most");
  }
}

ReadOptions TrainArguments::reading(ReadOptions options) {
  if (options.missing == Missing::kMean) {
    recipe_.missing = Missing::kMean;
    options.missing = Missing::kKeep;
  }
  fills_gaps_ = options.missing == Missing::kAuto && !is_given();
  if (fills_gaps_ || (options.missing == Missing::kAuto && takes_missing_values(recipe_))) {
    options.missing = Missing::kKeep;
  }
  options.keep_words = true;
  return options;
}

Recipe TrainArguments::recipe_for(const Dataset& data, Context& ctx) const {
  Recipe recipe = recipe_;
  if (!recipe_.select.method.empty() && top_.empty()) {
    ctx.info(
        fmt::format("--select {} without --top: all features that it ranks are kept; --top 100 or --top 10% would "
                    "keep the best of them",
                    recipe_.select.method));
  }
  if (!ranking_.empty()) recipe.features = read_ranking(ranking_, with_leaf_labels(data), ctx);
  return recipe;
}

Recipe TrainArguments::for_gaps(Recipe recipe, Index missing_values) const {
  if (fills_gaps_ && missing_values > 0 && !takes_missing_values(recipe)) recipe.missing = Missing::kMean;
  return recipe;
}

std::vector<double> TrainArguments::weights_for(const Dataset& data, Context& ctx) const {
  if (weights_.empty()) return {};
  return read_sample_weights(weights_, data.samples(), ctx);
}

}  // namespace clade::cli
