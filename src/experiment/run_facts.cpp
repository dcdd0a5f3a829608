#include "experiment/run_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace clade {
namespace {

// How a data set is measured, in words.
std::string protocol_of(const ExperimentData& data) {
  if (!data.test.empty()) return "test file";
  if (data.folds > 0) return fmt::format("{} folds", data.folds);
  if (!data.fold_file.empty()) return "given folds";
  if (data.holdout > 0) return fmt::format("{:g} % held out", 100 * data.holdout);
  return "all samples that are not learnt from";
}

nlohmann::json data_facts(const Experiment& experiment, const std::vector<CellResult>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (const ExperimentData& data : experiment.data) {
    list.push_back({{"name", data.name},
                    {"file", data.file},
                    {"test", data.test},
                    {"measured_by", protocol_of(data)},
                    {"repeats", data.repeats},
                    {"per_class", data.per_class},
                    {"samples", 0},
                    {"features", 0}});
  }
  for (std::size_t c = 0; c < results.size(); ++c) {
    nlohmann::json& entry = list[static_cast<std::size_t>(experiment.cells[c].data)];
    if (results[c].data_samples == 0) continue;
    entry["samples"] = results[c].data_samples;
    entry["features"] = results[c].data_features;
  }
  return list;
}

void add_name(nlohmann::json& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, nlohmann::json(name)) == names.end()) names.push_back(name);
}

nlohmann::json recipe_facts(const Experiment& experiment) {
  nlohmann::json list = nlohmann::json::array();
  for (const ExperimentRecipe& recipe : experiment.recipes) {
    nlohmann::json classifiers = nlohmann::json::array();
    nlohmann::json selectors = nlohmann::json::array();
    std::size_t tuned = 0;
    for (const RecipeVariant& variant : recipe.variants) {
      add_name(classifiers, variant.recipe.classifier);
      add_name(selectors, variant.recipe.select.method);
      for (const Recipe& candidate : variant.candidates) add_name(selectors, candidate.select.method);
      tuned = std::max(tuned, variant.candidates.size());
    }
    list.push_back({{"name", recipe.name},
                    {"classifiers", std::move(classifiers)},
                    {"selectors", std::move(selectors)},
                    {"variants", recipe.variants.size()},
                    {"tuned_among", tuned},
                    {"orders", recipe.orders}});
  }
  return list;
}

nlohmann::json taxonomy_facts(const Experiment& experiment) {
  nlohmann::json list = nlohmann::json::array();
  for (const ExperimentTaxonomy& taxonomy : experiment.taxonomies) {
    using Kind = ExperimentTaxonomy::Kind;
    const char* kind = taxonomy.kind == Kind::kGiven    ? "given"
                       : taxonomy.kind == Kind::kFlat   ? "flat"
                       : taxonomy.kind == Kind::kRandom ? "random"
                                                        : "learned";
    list.push_back({{"name", taxonomy.name},
                    {"kind", kind},
                    {"method", taxonomy.kind == Kind::kLearned ? taxonomy.learn.method : ""},
                    {"draws", taxonomy.draws}});
  }
  return list;
}

// Of the first cell of every method on every data set. Methods that differ in what comes after the selection have the
// same one, which is listed once.
nlohmann::json convergence_facts(const Experiment& experiment, const std::vector<CellResult>& results) {
  nlohmann::json list = nlohmann::json::array();
  std::set<std::pair<std::string, std::string>> seen;
  std::set<std::pair<std::string, std::vector<std::pair<Index, double>>>> histories;
  for (std::size_t c = 0; c < results.size(); ++c) {
    if (results[c].objective.empty()) continue;
    const std::string dataset = experiment.data_name(experiment.cells[c]);
    const std::string method = experiment.method_name(experiment.cells[c]);
    if (!seen.emplace(dataset, method).second || !histories.emplace(dataset, results[c].objective).second) continue;
    list.push_back({{"dataset", dataset}, {"method", method}, {"objective", results[c].objective}});
  }
  return list;
}

}  // namespace

void add_run_facts(const Experiment& experiment, const std::vector<CellResult>& results, nlohmann::json& document) {
  document["data"] = data_facts(experiment, results);
  document["recipes"] = recipe_facts(experiment);
  document["taxonomies"] = taxonomy_facts(experiment);
  document["convergence"] = convergence_facts(experiment, results);
}

}  // namespace clade
