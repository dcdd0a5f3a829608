#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <optional>
#include <string>
#include <vector>

namespace clade {

// A recipe for users who name no classifier, and why it was taken.
struct ChosenRecipe {
  Recipe recipe;
  std::string reason;  // one line for people
};

// A recipe by the kind of the data: sparse or dense features, one label per sample or several, the size of the problem.
// Nothing is trained. docs/default.md has the measurements behind the rule.
// `base` gives everything but the classifier and its parameters.
ChosenRecipe default_recipe(const Dataset& data, const Recipe& base = {});

// A quick recipe whose classifier decides from the root down, so that it depends on the hierarchy at every node; `base`
// as above.
Recipe top_down_recipe(const Dataset& data, const Recipe& base = {});

// The same recipe with scores that are probabilities, where its classifier can learn them and the recipe says nothing
// about it. Its labels are decided as before, so that recipes can be tried without.
Recipe with_probabilities(Recipe recipe);

// The recipe as a user would write it: the classifier, then its parameters as `name` value.
std::string recipe_text(const Recipe& recipe);

struct TryOptions {
  double budget = 60;          // seconds; then the recipe in hand is given up, unless it is the first that works
  int folds = 3;               // of the cross-validation
  Index most_samples = 3'000;  // a stratified part of larger data is used
};

// A recipe and what it reached in cross-validation.
struct TriedRecipe {
  Recipe recipe;
  std::optional<double> hierarchical_f1;  // empty: not begun, or it failed
  std::optional<double> accuracy;
  double seconds = 0;
  std::string problem;  // why there is no value
};

struct TriedRecipes {
  std::vector<TriedRecipe> recipes;  // in the order in which they were tried
  Index best = 0;                    // the largest hierarchical F1, or the first if none is clearly better
  Index samples = 0;                 // that were used
};

// The candidates for this data: first the one that default_recipe() takes, then cheap before dear; `base` as above.
std::vector<Recipe> candidate_recipes(const Dataset& data, const Recipe& base);

// Cross-validates the recipes one after the other. Values depend on the data and the seed alone; which recipes have
// one depends on the time that they take. A lead of less than 0.1 / sqrt(samples) over the first recipe counts as none.
// Throws Error (kInput) if none of them gives a value.
TriedRecipes try_recipes(const Dataset& data, std::vector<Recipe> recipes, const TryOptions& options, Context& ctx);

}  // namespace clade
