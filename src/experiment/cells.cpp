#include <fmt/format.h>

#include <algorithm>

#include "experiment/specification.h"

namespace clade {
namespace {

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

}  // namespace

void make_cells(Experiment& experiment) {
  const auto count = [](const auto& list) { return static_cast<Index>(std::ssize(list)); };
  const auto add_recipes = [&](ExperimentCell cell) {
    const ExperimentData& data = experiment.data[static_cast<std::size_t>(cell.data)];
    const ExperimentTaxonomy& taxonomy = experiment.taxonomies[static_cast<std::size_t>(cell.taxonomy)];
    for (cell.recipe = 0; cell.recipe < count(experiment.recipes); ++cell.recipe) {
      const ExperimentRecipe& recipe = experiment.recipes[static_cast<std::size_t>(cell.recipe)];
      if (!is_wanted(recipe.data, data.name) || !is_wanted(recipe.taxonomies, taxonomy.name)) continue;
      for (cell.variant = 0; cell.variant < count(recipe.variants); ++cell.variant) {
        for (cell.order = 0; cell.order < std::max(1, recipe.orders); ++cell.order) experiment.cells.push_back(cell);
      }
    }
  };
  for (Index d = 0; d < count(experiment.data); ++d) {
    const ExperimentData& data = experiment.data[static_cast<std::size_t>(d)];
    for (const Index per_class : data.per_class.empty() ? std::vector<Index>{0} : data.per_class) {
      for (Index repeat = 0; repeat < data.repeats; ++repeat) {
        for (Index t = 0; t < count(experiment.taxonomies); ++t) {
          const int draws = experiment.taxonomies[static_cast<std::size_t>(t)].draws;
          for (Index draw = 0; draw < draws; ++draw) {
            add_recipes({.data = d, .per_class = per_class, .repeat = repeat, .taxonomy = t, .draw = draw});
          }
        }
      }
    }
  }
}

std::string Experiment::method_name(const ExperimentCell& cell) const {
  const ExperimentRecipe& recipe = recipes[static_cast<std::size_t>(cell.recipe)];
  std::string name = recipe.name;
  const std::string& parameters = recipe.variants[static_cast<std::size_t>(cell.variant)].parameters;
  if (!parameters.empty()) name += " " + parameters;
  if (taxonomies.size() > 1) name += " @" + taxonomies[static_cast<std::size_t>(cell.taxonomy)].name;
  return name;
}

std::string Experiment::data_name(const ExperimentCell& cell) const {
  const std::string& name = data[static_cast<std::size_t>(cell.data)].name;
  return cell.per_class > 0 ? fmt::format("{} k={}", name, cell.per_class) : name;
}

std::string Experiment::cell_name(const ExperimentCell& cell) const {
  return fmt::format("{}, {}, repeat {}, draw {}, order {}", data_name(cell), method_name(cell), cell.repeat + 1,
                     cell.draw + 1, cell.order + 1);
}

}  // namespace clade
