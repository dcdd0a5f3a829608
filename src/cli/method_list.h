#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"

namespace clade::cli {

// Prints a table of methods with their parameters, as text or as JSON.
template <class Infos, class Make>
void show_methods(const Infos& infos, Make&& make, bool as_json) {
  nlohmann::json list = nlohmann::json::array();
  std::string text;
  for (const auto& info : infos) {
    const auto method = make(info.name);
    const ParameterTable parameters = method->parameters();
    list.push_back(
        {{"name", info.name}, {"help", info.help}, {"source", info.source}, {"parameters", parameters.to_json()}});
    text += fmt::format("{:12} {} ({})\n", info.name, info.help, info.source);
    for (const Parameter& p : parameters.parameters()) {
      text += fmt::format("    --{:<18} {} [{}]\n", p.name, p.help, p.default_text);
    }
  }
  as_json ? print_json(list) : print(text);
}

}  // namespace clade::cli
