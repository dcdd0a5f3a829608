#pragma once

#include <clade/types.h>

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clade {

// Reports for programs are returned as text, so that the code that prints them need not include the JSON library.

// A document as it is printed: keys in order, indented by two. Names in data may contain any bytes; invalid UTF-8
// becomes a replacement character.
std::string json_text(const nlohmann::json& document);

using JsonValue = std::variant<bool, Index, double, std::string, std::vector<std::string>>;

// An object of plain values, formatted like json_text().
std::string json_object(std::initializer_list<std::pair<std::string, JsonValue>> members);

// Parameters by name; texts that are numbers or truth values are converted.
nlohmann::json parameter_values(const std::vector<std::pair<std::string, std::string>>& parameters);

// A number, or null.
nlohmann::json number_or_null(const std::optional<double>& value);

}  // namespace clade
