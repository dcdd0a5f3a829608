#pragma once

#include <clade/methods.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// [{"name", "type", "default", "range", "choices", "help"}]; a default that the data decide is null.
nlohmann::json parameters_json(const std::vector<ParameterInfo>& parameters);
// The same as the rows of a Markdown table; `prefix` stands before the names.
std::string parameters_markdown(const std::vector<ParameterInfo>& parameters, std::string_view prefix);

// Methods with their parameters: [{"name", "help", "source", "parameters"}], and for people.
nlohmann::json methods_json(const std::vector<MethodInfo>& methods);
std::string methods_text(const std::vector<MethodInfo>& methods, std::string_view prefix);

// What a table of parameters says of each.
std::vector<ParameterInfo> infos_of(const ParameterTable& table);

}  // namespace clade
