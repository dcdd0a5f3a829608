#include "experiment/toml_file.h"

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

namespace clade {
namespace {

TomlValue toml_value(const toml::node& node, const std::string& file) {
  TomlValue result;
  result.line = node.source().begin.line;
  if (const auto* table = node.as_table()) {
    result.kind = TomlValue::Kind::kTable;
    std::vector<std::pair<std::string, TomlValue>> members;
    for (const auto& [key, member] : *table) {
      TomlValue value = toml_value(member, file);
      if (key.source().begin.line > 0) value.line = key.source().begin.line;
      members.emplace_back(std::string(key.str()), std::move(value));
    }
    std::ranges::sort(members, {},
                      [](const auto& member) { return std::pair(member.second.line, std::string_view(member.first)); });
    for (auto& [key, value] : members) {
      result.keys.push_back(std::move(key));
      result.items.push_back(std::move(value));
    }
  } else if (const auto* list = node.as_array()) {
    result.kind = TomlValue::Kind::kList;
    for (const auto& item : *list) result.items.push_back(toml_value(item, file));
  } else if (const auto* text = node.as_string()) {
    result.kind = TomlValue::Kind::kText;
    result.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = TomlValue::Kind::kInteger;
    result.text = std::to_string(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    result.kind = TomlValue::Kind::kNumber;
    result.text = fmt::format("{}", number->get());
  } else if (const auto* truth = node.as_boolean()) {
    result.kind = TomlValue::Kind::kTruth;
    result.text = truth->get() ? "true" : "false";
  } else {
    throw input_error({.file = file, .line = result.line}, "a date or time", "expected a number, a text or a list");
  }
  return result;
}

}  // namespace

std::vector<TomlMember> TomlValue::members() const {
  std::vector<TomlMember> result;
  for (std::size_t k = 0; k < keys.size(); ++k) result.push_back({keys[k], items[k]});
  return result;
}

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

TomlValue parse_toml(std::string_view bytes, const std::string& file) {
  toml::table document;
  try {
    document = toml::parse(bytes, file);
  } catch (const toml::parse_error& error) {
    throw input_error({.file = file, .line = error.source().begin.line, .column = error.source().begin.column},
                      error.description(), "expected TOML");
  }
  return toml_value(document, file);
}

}  // namespace clade
