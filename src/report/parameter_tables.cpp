#include "report/parameter_tables.h"

#include <clade/evaluate.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "report/json_text.h"

namespace clade {
namespace {

using nlohmann::json;

json infos_json(const std::vector<ParameterInfo>& parameters) {
  auto list = json::array();
  for (const ParameterInfo& p : parameters) {
    const bool is_text = p.type == "string" || p.type == "choice";
    json entry = {{"name", p.name}, {"type", p.type}, {"help", p.help}};
    const bool is_open = p.default_text == "auto";  // depends on the data
    entry["default"] = is_text ? json(p.default_text) : is_open ? json(nullptr) : parse_json(p.default_text);
    if (!p.range.empty()) entry["range"] = p.range;
    if (!p.choices.empty()) entry["choices"] = p.choices;
    list.push_back(std::move(entry));
  }
  return list;
}

json list_of(const std::vector<MethodInfo>& methods) {
  auto list = json::array();
  for (const MethodInfo& method : methods) {
    list.push_back({{"name", method.name},
                    {"help", method.help},
                    {"source", method.source},
                    {"parameters", infos_json(method.parameters)}});
  }
  return list;
}

json list_of(std::span<const MeasureInfo> measures) {
  auto list = json::array();
  for (const MeasureInfo& measure : measures) {
    list.push_back({{"name", measure.name},
                    {"help", measure.help},
                    {"source", measure.source},
                    {"better", measure.higher_is_better ? "higher" : "lower"},
                    {"parameters", json::array()}});
  }
  return list;
}

}  // namespace

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

std::string parameters_json(const std::vector<ParameterInfo>& parameters) {
  return json_text(infos_json(parameters));
}

std::string methods_json(const std::vector<MethodInfo>& methods) {
  return json_text(list_of(methods));
}

std::string methods_json(std::span<const MethodFamily> families) {
  json document = {{"metrics", list_of(measures())}};
  for (const MethodFamily& family : families) document[family.key] = list_of(family.methods);
  return json_text(document);
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

std::string methods_text(std::span<const MethodFamily> families, std::string_view prefix) {
  std::string text;
  for (const MethodFamily& family : families) {
    text += fmt::format("{}\n\n{}\n", family.title, methods_text(family.methods, prefix));
  }
  text += "measures (clade evaluate)\n\n";
  for (const MeasureInfo& measure : measures()) {
    text += fmt::format("{:12} {} ({} is better)\n", measure.name, measure.help,
                        measure.higher_is_better ? "higher" : "lower");
  }
  return text;
}

std::vector<ParameterInfo> infos_of(const ParameterTable& table) {
  return {table.parameters().begin(), table.parameters().end()};
}

}  // namespace clade
