#include "experiment/cell_result.h"

#include <nlohmann/json.hpp>

#include "core/json.h"

namespace clade {
namespace {

using Json = nlohmann::json;

Json values_json(const std::vector<std::optional<double>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json());
  return list;
}

std::vector<std::optional<double>> values_of(const Json& list) {
  std::vector<std::optional<double>> values;
  for (const Json& value : list) {
    values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return values;
}

}  // namespace

std::string cell_result_text(const CellResult& result) {
  Json folds = Json::array();
  for (const CellResult::Fold& fold : result.folds) {
    folds.push_back({{"samples", fold.samples},
                     {"values", values_json(fold.values)},
                     {"fit", fold.fit_seconds},
                     {"predict", fold.predict_seconds},
                     {"tuned", fold.tuned}});
  }
  const Json document{{"values", values_json(result.values)},
                      {"folds", std::move(folds)},
                      {"seconds", result.seconds},
                      {"memory", result.memory},
                      {"data_samples", result.data_samples},
                      {"data_features", result.data_features},
                      {"objective", result.objective},
                      {"predictions", result.predictions_hash},
                      {"error", result.error}};
  return dump_json(document);
}

CellResult parse_cell_result(const std::string& text) {
  const Json document = parse_json(text);
  CellResult result;
  result.values = values_of(document.at("values"));
  for (const Json& fold : document.at("folds")) {
    result.folds.push_back({fold.at("samples").get<Index>(), values_of(fold.at("values")), fold.at("fit").get<double>(),
                            fold.at("predict").get<double>(), fold.at("tuned").get<std::string>()});
  }
  result.seconds = document.at("seconds").get<double>();
  result.memory = document.at("memory").get<double>();
  result.predictions_hash = document.at("predictions").get<std::string>();
  result.error = document.at("error").get<std::string>();
  result.data_samples = document.value("data_samples", Index{0});
  result.data_features = document.value("data_features", Index{0});
  if (document.contains("objective")) result.objective = document.at("objective").get<decltype(result.objective)>();
  return result;
}

}  // namespace clade
