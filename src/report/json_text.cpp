#include "report/json_text.h"

#include <nlohmann/json.hpp>

namespace clade {

using nlohmann::json;

std::string json_text(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string json_object(std::initializer_list<std::pair<std::string, JsonValue>> members) {
  json document = json::object();
  for (const auto& [key, value] : members) std::visit([&, &k = key](const auto& v) { document[k] = v; }, value);
  return json_text(document);
}

json parameter_values(const std::vector<std::pair<std::string, std::string>>& parameters) {
  json values = json::object();
  for (const auto& [name, text] : parameters) {
    json value = json::parse(text, nullptr, false);
    values[name] = value.is_discarded() ? json(text) : std::move(value);
  }
  return values;
}

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace clade
