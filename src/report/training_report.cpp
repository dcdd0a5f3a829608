#include "report/training_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/evaluation_report.h"
#include "report/json_text.h"
#include "report/model_report.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

json tried_json(const TriedRecipes& tried) {
  json list = json::array();
  for (std::size_t k = 0; k < tried.recipes.size(); ++k) {
    const TriedRecipe& one = tried.recipes[k];
    json entry = {{"classifier", one.recipe.classifier},
                  {"hierarchical_f1", number_or_null(one.hierarchical_f1)},
                  {"accuracy", number_or_null(one.accuracy)},
                  {"seconds", one.seconds},
                  {"taken", static_cast<Index>(k) == tried.best}};
    entry["parameters"] = json::object();
    for (const auto& [name, value] : one.recipe.parameters) entry["parameters"][name] = value.text();
    if (!one.problem.empty()) entry["problem"] = one.problem;
    list.push_back(std::move(entry));
  }
  return {{"samples", tried.samples}, {"recipes", std::move(list)}};
}

}  // namespace

std::string tried_text(const TriedRecipes& tried) {
  std::vector<std::vector<std::string>> rows{{"", "recipe", "hierarchical_f1", "accuracy", "seconds", ""}};
  for (std::size_t k = 0; k < tried.recipes.size(); ++k) {
    const TriedRecipe& one = tried.recipes[k];
    const auto shown = [](std::optional<double> value) { return value ? fmt::format("{:.4f}", *value) : "-"; };
    rows.push_back({static_cast<Index>(k) == tried.best ? ">" : "", recipe_text(one.recipe), shown(one.hierarchical_f1),
                    shown(one.accuracy), fmt::format("{:.1f}", one.seconds), one.problem});
  }
  return fmt::format("recipes, cross-validated on {} samples\n", tried.samples) + aligned_table(rows, 2, 5) + "\n";
}

std::string training_text(const TrainingReport& report) {
  std::string text;
  if (report.held_out) {
    text += fmt::format(
        "\n{} of {} samples held out, predicted by a model of the others; the model written is trained on all{}\n",
        report.held_out->samples, report.held_out_from,
        report.calibrating > 0 ? fmt::format(" but {}, which calibrate it", report.calibrating) : "");
    text += short_evaluation_text(*report.held_out);
  }
  if (report.test) {
    text += fmt::format("\nthe model on {}: {} samples\n", report.test_name, report.test->samples);
    text += short_evaluation_text(*report.test);
  }
  return text.empty() ? text : text + "\n";
}

std::string training_json(const Model& model, Index file_bytes, const TrainingReport& report) {
  json document = model_document(model, file_bytes);
  if (!report.reason.empty()) document["reason"] = report.reason;
  if (report.tried) document["tried"] = tried_json(*report.tried);
  if (report.held_out) document["held_out"] = short_evaluation_json(*report.held_out);
  if (report.test) document["test"] = short_evaluation_json(*report.test);
  return json_text(document);
}

}  // namespace clade
