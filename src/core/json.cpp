#include "core/json.h"

#include <nlohmann/json.hpp>

namespace clade {

using nlohmann::json;

json parse_json(std::string_view text) {
  return json::parse(text.begin(), text.end());
}

json json_or_string(const std::string& text) {
  json value = json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) return text;
  return value;  // moved: a copy of deeply nested values would recurse
}

std::string dump_json(const json& document, int indent, InvalidUtf8 invalid) {
  return document.dump(
      indent, ' ', false,
      invalid == InvalidUtf8::Replace ? json::error_handler_t::replace : json::error_handler_t::strict);
}

}  // namespace clade
