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

// Reports for programs are given as text, so that whoever prints them need not know the JSON library.

// A document as it is printed: keys in order, indented by two. Names in data may hold any bytes; what is not UTF-8
// becomes a replacement character.
std::string json_text(const nlohmann::json& document);

using JsonValue = std::variant<bool, Index, double, std::string, std::vector<std::string>>;

// An object of plain values, as json_text() has it.
std::string json_object(std::initializer_list<std::pair<std::string, JsonValue>> members);

// Parameters by name, from text: numbers and truth values as such.
nlohmann::json parameter_values(const std::vector<std::pair<std::string, std::string>>& parameters);

// A number, or null.
nlohmann::json number_or_null(const std::optional<double>& value);

}  // namespace clade
