#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// Reading and writing JSON as plain functions, because the templates behind them take seconds to compile in every file
// that uses them.
namespace clade {

// Throws nlohmann::json::exception where the text is not one JSON document.
nlohmann::json parse_json(std::string_view text);

// What the text means as JSON; the text itself, as a string, where it is not JSON.
nlohmann::json json_or_string(const std::string& text);

enum class InvalidUtf8 {
  Replace,  // by a replacement character: names in data may hold any bytes
  Refuse,   // by an exception, where what is written must read back the same
};

// In one line, or indented by `indent` blanks per level.
std::string dump_json(const nlohmann::json& document, int indent = -1, InvalidUtf8 invalid = InvalidUtf8::Replace);

}  // namespace clade
