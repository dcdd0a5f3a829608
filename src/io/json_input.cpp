#include "io/json_input.h"

namespace clade {

nlohmann::json parse_json(const Input& input) {
  const std::string_view text = input.bytes();
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& fault) {
    const std::size_t at = fault.byte == 0 ? 0 : std::min(fault.byte - 1, text.size());
    const std::size_t line_start = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t column = line_start == std::string_view::npos || line_start >= at ? at : at - line_start - 1;
    throw input_error(input.at_line(input.line_of(at), static_cast<Index>(column) + 1), "not well-formed JSON",
                      "expected one JSON document");
  } catch (const nlohmann::json::out_of_range&) {
    throw input_error({.file = input.name()}, "a number in the JSON is too large",
                      "expected numbers a double can hold");
  }
}

}  // namespace clade
