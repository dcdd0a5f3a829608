#include "experiment/spec_checks.h"

#include <clade/names.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace clade {

std::string without_backquotes(std::string text) {
  std::erase(text, '`');
  return text;
}

const std::string& SpecFile::single(const TomlValue& value, std::string_view key) const {
  if (value.is_single()) return value.text;
  throw error(value, fmt::format("{} is a {}", key, value.kind == TomlValue::Kind::kList ? "list" : "table"),
              "expected one value");
}

std::vector<std::string> SpecFile::list(const TomlValue& value, std::string_view key) const {
  if (value.kind != TomlValue::Kind::kList) return {single(value, key)};
  if (value.items.empty()) throw error(value, fmt::format("{} is an empty list", key), "expected a value at least");
  std::vector<std::string> texts;
  for (const TomlValue& item : value.items) texts.push_back(single(item, key));
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (std::find(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(k), texts[k]) ==
        texts.begin() + static_cast<std::ptrdiff_t>(k)) {
      continue;
    }
    throw error(value, fmt::format("{} has {} twice", key, texts[k]), "expected different values");
  }
  return texts;
}

const std::string& SpecFile::name(const TomlValue& table, std::string_view kind) const {
  const TomlValue* value = table.find("name");
  if (value == nullptr) throw error(table, fmt::format("a {} without a name", kind), "expected name = \"...\"");
  const std::string& text = single(*value, "name");
  if (text.empty() || std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
    throw error(*value, fmt::format("the name of a {} is empty or has control characters", kind),
                "expected some letters");
  }
  return text;
}

void SpecFile::require_table(const TomlValue& value, std::string_view key) const {
  if (value.kind == TomlValue::Kind::kTable) return;
  throw error(value, fmt::format("{} is no table", key), fmt::format("expected {} = {{ name = value }}", key));
}

Error SpecFile::unknown_key(const TomlValue& at, std::string_view key, std::string_view of,
                            const std::vector<std::string>& known) const {
  return error(at, fmt::format("no key '{}' in {}", key, of), expected_name(key, known));
}

bool SpecFile::set(const std::vector<ParameterTable>& tables, const std::string& key, const TomlValue& value) const {
  for (const ParameterTable& table : tables) {
    const auto found = std::ranges::find(table.parameters(), key, &Parameter::name);
    if (found == table.parameters().end()) continue;
    at(value, [&] { found->set(single(value, key)); });
    return true;
  }
  return false;
}

std::string SpecFile::beside(const std::string& file) const {
  namespace fs = std::filesystem;
  const fs::path path(file);
  return path.is_absolute() ? file : (fs::path(path_).parent_path() / path).lexically_normal().string();
}

std::string SpecFile::with_variables(const TomlValue& value, std::string text) const {
  for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", begin)) {
    const std::size_t end = text.find('}', begin);
    if (end == std::string::npos) throw error(value, fmt::format("'{}': ${{ without }}", text), "expected ${NAME}");
    const std::string name = text.substr(begin + 2, end - begin - 2);
    if (name.empty()) throw error(value, fmt::format("'{}': ${{}} without a name", text), "expected ${NAME}");
    const char* set = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing sets variables meanwhile
    if (set == nullptr) {
      throw error(value, fmt::format("the variable {} is not set", name), "expected it in the environment");
    }
    text.replace(begin, end + 1 - begin, set);
    begin += std::string_view(set).size();
  }
  return text;
}

std::string SpecFile::file(const TomlValue& value, std::string_view key) const {
  std::string path = beside(with_variables(value, single(value, key)));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw error(value, fmt::format("{}: there is no file {}", key, path), "expected one, beside this file");
  }
  return path;
}

std::vector<std::string> parameter_names(const std::vector<ParameterTable>& tables) {
  std::vector<std::string> names;
  for (const ParameterTable& table : tables) {
    for (const Parameter& parameter : table.parameters()) names.push_back(parameter.name);
  }
  return names;
}

std::string canonical_text(const TomlValue& value) {
  if (value.is_single()) return fmt::format("{:?}", value.text);
  std::vector<std::string> texts;
  if (value.kind == TomlValue::Kind::kList) {
    for (const TomlValue& item : value.items) texts.push_back(canonical_text(item));
    return fmt::format("[{}]", fmt::join(texts, ","));
  }
  for (const auto& [key, member] : value.members()) texts.push_back(fmt::format("{}={}", key, canonical_text(member)));
  std::ranges::sort(texts);
  return fmt::format("{{{}}}", fmt::join(texts, ","));
}

}  // namespace clade
