#pragma once

#include <clade/methods.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// [{"name", "type", "default", "range", "choices", "help"}]; a default that depends on the data is null.
std::string parameters_json(const std::vector<ParameterInfo>& parameters);
// The same as the rows of a Markdown table; `prefix` is put before the names.
std::string parameters_markdown(const std::vector<ParameterInfo>& parameters, std::string_view prefix);

// Methods with their parameters: [{"name", "help", "source", "parameters"}], or text for people.
std::string methods_json(const std::vector<MethodInfo>& methods);
std::string methods_text(const std::vector<MethodInfo>& methods, std::string_view prefix);

// The methods of one kind.
struct MethodFamily {
  std::string title;
  std::string key;  // in JSON
  std::vector<MethodInfo> methods;
};

// Several families, each under its key or title, and all measures ("metrics").
std::string methods_json(std::span<const MethodFamily> families);
std::string methods_text(std::span<const MethodFamily> families, std::string_view prefix);

// The parameters of a table, without their values.
std::vector<ParameterInfo> infos_of(const ParameterTable& table);

}  // namespace clade
