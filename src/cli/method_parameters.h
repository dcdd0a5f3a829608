#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace clade::cli {

// The parameters of all methods of a table (infos with names, and what makes one by its name), each once. What the user
// gives is kept in `given` until the method is known.
template <class Infos, class Make>
ParameterTable method_parameters(const Infos& infos, Make&& make, std::map<std::string, std::string>& given) {
  std::vector<Parameter> all;
  for (const auto& info : infos) {
    const auto method = make(info.name);
    const ParameterTable own = method->parameters();
    for (Parameter parameter : own.parameters()) {
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == parameter.name; });
      if (known != all.end()) {
        if (known->default_text != parameter.default_text) known->default_text = "by method";
        if (known->help.find(parameter.help) == std::string::npos) known->help += "; " + parameter.help;
        for (const std::string& choice : parameter.choices) {
          if (std::ranges::find(known->choices, choice) == known->choices.end()) known->choices.push_back(choice);
        }
        continue;
      }
      parameter.set = [&given, name = parameter.name](std::string_view text) { given[name] = text; };
      parameter.get = [] { return std::string(); };
      all.push_back(std::move(parameter));
    }
  }
  ParameterTable table;
  for (Parameter& parameter : all) table.add(std::move(parameter));
  return table;
}

}  // namespace clade::cli
