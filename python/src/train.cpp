#include <clade/conformal.h>
#include <clade/recipes.h>
#include <clade/train.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace clade::python {
namespace {

constexpr Choice<Missing> kMissingWords[] = {{Missing::kError, "error"},
                                             {Missing::kKeep, "keep"},
                                             {Missing::kMean, "mean"},
                                             {Missing::kZero, "zero"},
                                             {Missing::kDropSample, "drop-sample"}};

struct MissingOption {
  Missing missing = Missing::kError;
  friend void describe(ParameterTable& v, MissingOption& o) {
    v("missing", o.missing, kMissingWords, "what to do with missing values");
  }
};

Recipe make_recipe(const std::string& classifier, const Texts& parameters, const py::object& select,
                   const py::object& ranking, const std::string& top, const std::string& missing, const Texts& decide) {
  Recipe recipe;
  recipe.classifier = classifier;
  recipe.parameters = parameters_of(parameters);
  if (!select.is_none()) recipe.select = selecting(select.cast<py::dict>());
  if (!ranking.is_none()) recipe.features = ranking_of(ranking);
  recipe.top = top;
  recipe.missing = with_options(MissingOption{}, {{"missing", missing}}).missing;
  recipe.decide = with_options(DecideOptions{}, decide);
  return recipe;
}

py::dict tried_dict(const TriedRecipe& tried) {
  py::dict entry;
  entry["recipe"] = recipe_text(tried.recipe);
  entry["classifier"] = tried.recipe.classifier;
  entry["hierarchical_f1"] = tried.hierarchical_f1;
  entry["accuracy"] = tried.accuracy;
  entry["seconds"] = tried.seconds;
  entry["problem"] = with_keywords(tried.problem);
  return entry;
}

// Where nobody said what becomes of missing values, they are means where the classifier needs values.
Recipe for_gaps(Recipe recipe, bool has_gaps) {
  if (has_gaps && recipe.missing == Missing::kError && !takes_missing_values(recipe)) recipe.missing = Missing::kMean;
  return recipe;
}

py::tuple tried_recipes(const Dataset& data, const Recipe& base, double budget, int folds, Index most_samples,
                        const Settings& settings, bool has_gaps) {
  if (most_samples < 1 || !(budget > 0)) {
    throw usage_error("nothing can be tried", "expected a `budget` above 0, and one sample at least");
  }
  const TriedRecipes tried = run(settings, [&](Context& ctx) {
    std::vector<Recipe> candidates = candidate_recipes(data, base);
    for (Recipe& candidate : candidates) candidate = for_gaps(std::move(candidate), has_gaps);
    return try_recipes(data, std::move(candidates), {.budget = budget, .folds = folds, .most_samples = most_samples},
                       ctx);
  });
  py::list all;
  for (const TriedRecipe& recipe : tried.recipes) all.append(tried_dict(recipe));
  return py::make_tuple(with_probabilities(tried.recipes[static_cast<std::size_t>(tried.best)].recipe), all);
}

Model trained(const Dataset& data, const Recipe& recipe, const Array<double>& weights, const std::string& conformal,
              bool by_class, const Settings& settings) {
  check_recipe(recipe, data);
  std::optional<ConformalOptions> calibration;
  if (!conformal.empty()) {
    calibration = parse_conformal(conformal);
    calibration->by_class = by_class;
  }
  return run(settings, [&](Context& ctx) {
    return calibration ? train_conformal(data, recipe, *calibration, weights_of(weights, data), ctx)
                       : train(data, recipe, weights_of(weights, data), ctx);
  });
}

}  // namespace

void bind_train(py::module_& module) {
  py::class_<Recipe>(module, "Recipe")
      .def(py::init(&make_recipe), py::arg("classifier"), py::arg("parameters"), py::arg("select"), py::arg("ranking"),
           py::arg("top"), py::arg("missing"), py::arg("decide"))
      .def_readonly("classifier", &Recipe::classifier)
      .def_property_readonly("parameters",
                             [](const Recipe& r) {
                               Texts texts;
                               for (const auto& [name, value] : r.parameters) texts[name] = value.text();
                               return texts;
                             })
      .def("takes_missing_values", &takes_missing_values)
      .def("check", [](const Recipe& r) { check_request(r); })
      .def("__str__", &recipe_text);

  // A recipe that suits the data, and why; with the parts of `base` other than the classifier.
  module.def(
      "default_recipe",
      [](const Dataset& data, const Recipe& base, bool has_gaps) {
        ChosenRecipe chosen = default_recipe(data, base);
        return py::make_tuple(for_gaps(std::move(chosen.recipe), has_gaps), std::move(chosen.reason));
      },
      py::arg("data"), py::arg("base"), py::arg("has_gaps") = false);
  module.def("try_recipes", &tried_recipes, py::arg("data"), py::arg("base"), py::arg("budget"), py::arg("folds"),
             py::arg("most_samples"), py::arg("settings"), py::arg("has_gaps") = false);
  module.def("train", &trained, py::arg("data"), py::arg("recipe"), py::arg("weights"), py::arg("conformal"),
             py::arg("by_class"), py::arg("settings"));
  module.def(
      "continue_training",
      [](const Model& model, const Dataset& data, const Texts& parameters, const Array<double>& weights,
         const Settings& settings) {
        return run(settings, [&](Context& ctx) {
          return continue_training(model, data, parameters_of(parameters), weights_of(weights, data), ctx);
        });
      },
      py::arg("model"), py::arg("data"), py::arg("parameters"), py::arg("weights"), py::arg("settings"));
}

}  // namespace clade::python
