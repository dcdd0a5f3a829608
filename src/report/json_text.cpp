#include "report/json_text.h"

#include <nlohmann/json.hpp>

#include "core/json.h"

namespace clade {

using nlohmann::json;

std::string json_text(const json& document) {
  return dump_json(document, 2);
}

std::string json_object(std::initializer_list<std::pair<std::string, JsonValue>> members) {
  json document = json::object();
  for (const auto& [key, value] : members) std::visit([&, &k = key](const auto& v) { document[k] = v; }, value);
  return json_text(document);
}

json parameter_values(const std::vector<std::pair<std::string, std::string>>& parameters) {
  json values = json::object();
  for (const auto& [name, text] : parameters) values[name] = json_or_string(text);
  return values;
}

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace clade
