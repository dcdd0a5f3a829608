#include "report/parameter_tables.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace clade {

nlohmann::json parameters_json(const std::vector<ParameterInfo>& parameters) {
  auto list = nlohmann::json::array();
  for (const ParameterInfo& p : parameters) {
    const bool is_text = p.type == "string" || p.type == "choice";
    nlohmann::json entry = {{"name", p.name}, {"type", p.type}, {"help", p.help}};
    const bool is_open = p.default_text == "auto";  // left to the data
    entry["default"] = is_text   ? nlohmann::json(p.default_text)
                       : is_open ? nlohmann::json(nullptr)
                                 : nlohmann::json::parse(p.default_text);
    if (!p.range.empty()) entry["range"] = p.range;
    if (!p.choices.empty()) entry["choices"] = p.choices;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string parameters_markdown(const std::vector<ParameterInfo>& parameters, std::string_view prefix) {
  std::string text = "| parameter | values | default | meaning |\n|---|---|---|---|\n";
  for (const ParameterInfo& p : parameters) {
    std::string values = p.type;
    if (!p.choices.empty()) values = fmt::format("{}", fmt::join(p.choices, ", "));
    if (!p.range.empty()) values += ", " + p.range;
    text += fmt::format("| `{}{}` | {} | {} | {} |\n", prefix, p.name, values,
                        p.default_text.empty() ? "" : "`" + p.default_text + "`", p.help);
  }
  return text;
}

nlohmann::json methods_json(const std::vector<MethodInfo>& methods) {
  auto list = nlohmann::json::array();
  for (const MethodInfo& method : methods) {
    list.push_back({{"name", method.name},
                    {"help", method.help},
                    {"source", method.source},
                    {"parameters", parameters_json(method.parameters)}});
  }
  return list;
}

std::string methods_text(const std::vector<MethodInfo>& methods, std::string_view prefix) {
  std::string text;
  for (const MethodInfo& method : methods) {
    text += fmt::format("{:12} {} ({})\n", method.name, method.help, method.source);
    for (const ParameterInfo& p : method.parameters) {
      text += fmt::format("    {}{:<18} {} [{}]\n", prefix, p.name, p.help, p.default_text);
    }
  }
  return text;
}

std::vector<ParameterInfo> infos_of(const ParameterTable& table) {
  return {table.parameters().begin(), table.parameters().end()};
}

}  // namespace clade
