#include "experiment/recipe_grid.h"

#include <clade/names.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "classify/classifier.h"
#include "select/selector.h"

namespace clade {
namespace {

constexpr double kMostCells = 1e6;
constexpr Index kAnyNumberOfFeatures = Index{1} << 40U;  // where it is not known yet

// One setting of a recipe, and the values that it takes.
struct GridSetting {
  std::string group;  // "parameters", "select-parameters", or empty
  std::string key;
  std::vector<std::string> values;
  const TomlValue* at = nullptr;

  std::string name() const { return group.empty() ? key : group + "." + key; }
};

const MethodInfo* method_of(const std::vector<MethodInfo>& methods, const std::string& name) {
  const auto found = std::ranges::find(methods, name, &MethodInfo::name);
  return found == methods.end() ? nullptr : &*found;
}

bool has_parameter(const MethodInfo& method, const std::string& name) {
  return std::ranges::find(method.parameters, name, &ParameterInfo::name) != method.parameters.end();
}

// Says whose parameter it is, if it is another method's.
void require_parameter(const std::vector<MethodInfo>& methods, const std::string& method, const std::string& key) {
  const MethodInfo* own = method_of(methods, method);
  if (own == nullptr || has_parameter(*own, key)) return;
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : own->parameters) names.push_back(parameter.name);
  const std::string near = nearest_name(key, names);
  std::vector<std::string> others;
  for (const MethodInfo& other : methods) {
    if (has_parameter(other, key)) others.emplace_back(other.name);
  }
  std::string expected = !near.empty()     ? fmt::format("did you mean '{}'?", near)
                         : !others.empty() ? fmt::format("it is a parameter of {}", fmt::join(others, ", "))
                         : names.empty()   ? "it has none"
                                           : fmt::format("expected {}", fmt::join(names, ", "));
  throw usage_error(fmt::format("{} has no parameter '{}'", method, key), expected);
}

void require_method(const std::vector<MethodInfo>& methods, std::string_view kind, const std::string& name) {
  if (method_of(methods, name) != nullptr) return;
  std::vector<std::string> names;
  for (const MethodInfo& method : methods) names.emplace_back(method.name);
  throw usage_error(fmt::format("no {} '{}'", kind, name), expected_name(name, names));
}

// Puts one value into a recipe; classifier and selector come first, for others depend on them.
void apply_setting(Recipe& recipe, const GridSetting& setting, const std::string& value) {
  if (setting.group == "parameters") {
    require_parameter(classifiers(), recipe.classifier, setting.key);
    classifier_table().make(recipe.classifier, {{setting.key, value}});  // checks the value
    recipe.parameters[setting.key] = value;
  } else if (setting.group == "select-parameters") {
    const std::vector<MethodInfo> methods = selectors();
    const MethodInfo* own = method_of(methods, recipe.select.method);
    ParameterTable general(recipe.select);
    const bool is_general =
        std::ranges::find(general.parameters(), setting.key, &Parameter::name) != general.parameters().end();
    if (is_general && (own == nullptr || !has_parameter(*own, setting.key))) return general.set(setting.key, value);
    require_parameter(methods, recipe.select.method, setting.key);
    if (own != nullptr) selector_table().make(recipe.select.method, {{setting.key, value}});
    recipe.select.parameters[setting.key] = value;
  } else if (setting.key == "classifier") {
    require_method(classifiers(), "classifier", value);
    recipe.classifier = value;
  } else if (setting.key == "select") {
    if (value == "none") return;
    require_method(selectors(), "selector", value);
    recipe.select.method = value;
  } else if (setting.key == "top") {
    parse_top(value, kAnyNumberOfFeatures);
    recipe.top = value;
  } else {
    ParameterTable(recipe.decide).set(setting.key, value);
  }
}

int rank_of(const GridSetting& setting) {
  if (setting.key == "classifier" && setting.group.empty()) return 0;
  if (setting.key == "select" && setting.group.empty()) return 1;
  return setting.group == "select-parameters" ? 2 : setting.group == "parameters" ? 3 : 4;
}

// Is it one of several selectors of the settings?
bool is_among_several(const std::string& selector, const std::vector<GridSetting>& settings) {
  return std::ranges::any_of(settings, [&](const GridSetting& setting) {
    return setting.group.empty() && setting.key == "select" && setting.values.size() > 1 &&
           std::ranges::find(setting.values, selector) != setting.values.end();
  });
}

class RecipeParser {
 public:
  RecipeParser(const TomlValue& table, const SpecFile& file) : table_(table), file_(file) {}

  ExperimentRecipe parse(KeptPredictions predictions) {
    ExperimentRecipe result;
    result.predictions = predictions;
    result.name = file_.name(table_, "recipe");
    of_ = fmt::format("recipe '{}'", result.name);
    collect(table_, fixed_, true, result);
    if (table_.find("classifier") == nullptr) {
      throw file_.error(table_, of_ + " has no classifier", "expected classifier = \"...\"");
    }
    std::vector<GridSetting> all = fixed_;
    all.insert(all.end(), tuned_.begin(), tuned_.end());
    double count = 1;
    for (const GridSetting& setting : all) count *= static_cast<double>(setting.values.size());
    require_countable(count, of_ + " has {} combinations of parameters", table_, file_);
    expand(Recipe(), 0, "", fixed_,
           [&](const Recipe& recipe, const std::string& text) { result.variants.push_back(variant_of(recipe, text)); });
    return result;
  }

 private:
  void collect(const TomlValue& table, std::vector<GridSetting>& settings, bool is_recipe, ExperimentRecipe& result) {
    DecideOptions decide;
    const ParameterTable decisions(decide);
    std::vector<std::string> known{"parameters", "select-parameters", "top", "select"};
    for (const std::string& name : parameter_names({decisions})) known.push_back(name);
    if (is_recipe) {
      for (const char* name : {"name", "classifier", "orders", "data", "taxonomies", "tune", "predictions"})
        known.emplace_back(name);
    }
    for (const auto& [key, value] : table.members()) {
      if (std::ranges::find(known, key) == known.end()) {
        throw file_.unknown_key(value, key, is_recipe ? of_ : "tune of " + of_, known);
      }
      if (key == "name") continue;
      if (key == "parameters" || key == "select-parameters") {
        file_.require_table(value, key);
        for (const auto& [name, member] : value.members())
          add(settings, {key, name, file_.list(member, name), &member});
      } else if (key == "tune") {
        file_.require_table(value, key);
        collect(value, tuned_, false, result);
      } else if (key == "orders") {
        ParameterTable orders;
        orders("orders", result.orders, between(1, 100'000), "");
        file_.set({orders}, key, value);
      } else if (key == "predictions") {
        result.predictions = parse_kept_predictions(value, file_);
      } else if (key == "data") {
        result.data = file_.list(value, key);
      } else if (key == "taxonomies") {
        result.taxonomies = file_.list(value, key);
      } else {
        add(settings, {"", key, file_.list(value, key), &value});
      }
    }
  }

  void add(std::vector<GridSetting>& settings, GridSetting setting) const {
    const auto is_same = [&](const GridSetting& other) { return other.name() == setting.name(); };
    if (std::ranges::any_of(fixed_, is_same) || std::ranges::any_of(tuned_, is_same)) {
      throw file_.error(*setting.at, fmt::format("{} is both given and tuned", setting.name()), "expected one of them");
    }
    const auto place = std::ranges::upper_bound(settings, rank_of(setting), {}, rank_of);
    settings.insert(place, std::move(setting));
  }

  // Calls found(recipe, text of the settings that vary) for every combination, the last setting varying fastest.
  template <class Found>
  void expand(const Recipe& recipe, std::size_t k, const std::string& text, const std::vector<GridSetting>& settings,
              const Found& found) const {
    if (k == settings.size()) return found(recipe, text);
    const GridSetting& setting = settings[k];
    // "none" among several selectors has no parameters, and takes all features.
    const bool is_of_selection =
        setting.group == "select-parameters" || (setting.group.empty() && setting.key == "top");
    if (is_of_selection && recipe.select.method.empty() && is_among_several("none", settings)) {
      return expand(recipe, k + 1, text, settings, found);
    }
    for (const std::string& value : setting.values) {
      Recipe next = recipe;
      file_.at(*setting.at, [&] { apply_setting(next, setting, value); });
      const bool varies = setting.values.size() > 1;
      expand(next, k + 1, varies ? fmt::format("{}{}{}={}", text, text.empty() ? "" : " ", setting.key, value) : text,
             settings, found);
    }
  }

  RecipeVariant variant_of(const Recipe& recipe, const std::string& text) const {
    RecipeVariant variant{.parameters = text, .recipe = recipe, .candidates = {}, .candidate_parameters = {}};
    if (tuned_.empty()) {
      check(recipe);
      return variant;
    }
    expand(recipe, 0, "", tuned_, [&](const Recipe& candidate, const std::string& parameters) {
      check(candidate);
      variant.candidates.push_back(candidate);
      variant.candidate_parameters.push_back(parameters);
    });
    variant.recipe = variant.candidates[0];
    return variant;
  }

  void check(Recipe recipe) const {
    recipe.select.top = recipe.top;
    file_.at(table_, [&] {
      if (recipe.select.method.empty() && (!recipe.select.parameters.empty() || !recipe.top.empty())) {
        throw usage_error(of_ + " selects no features: top and select-parameters have no effect",
                          "expected select = \"...\" with them");
      }
      check_request(recipe);
    });
  }

  const TomlValue& table_;
  const SpecFile& file_;
  std::string of_ = "a recipe";
  std::vector<GridSetting> fixed_;
  std::vector<GridSetting> tuned_;
};

}  // namespace

void require_countable(double count, std::string_view what, const TomlValue& at, const SpecFile& file) {
  if (count <= kMostCells) return;
  throw file.error(at, fmt::format(fmt::runtime(what), fmt::format("{:.3g}", count)), "expected at most 1,000,000");
}

ExperimentRecipe parse_recipe(const TomlValue& table, const SpecFile& file, KeptPredictions predictions) {
  return RecipeParser(table, file).parse(predictions);
}

KeptPredictions parse_kept_predictions(const TomlValue& value, const SpecFile& file) {
  const std::string& text = file.single(value, "predictions");
  if (text == "true") return KeptPredictions::kSets;
  if (text == "false") return KeptPredictions::kNone;
  if (text == "ranked") return KeptPredictions::kRanked;
  throw file.error(value, fmt::format("predictions: '{}'", text), "expected true, false or \"ranked\"");
}

}  // namespace clade
