#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace clade {

struct TomlMember;

// A TOML document with the lines of its values, whatever the library that reads it.
struct TomlValue {
  enum class Kind { kText, kInteger, kNumber, kTruth, kList, kTable };
  Kind kind = Kind::kTable;
  Index line = 0;
  std::string text;               // of a single value, as a user would write a parameter
  std::vector<TomlValue> items;   // of a list or a table
  std::vector<std::string> keys;  // of the items of a table, in the order of the file

  bool is_single() const { return kind != Kind::kList && kind != Kind::kTable; }
  std::vector<TomlMember> members() const;  // of a table
  const TomlValue* find(std::string_view key) const;
};

struct TomlMember {
  const std::string& key;
  const TomlValue& value;
};

// Throws Error (kInput) with the line if the bytes are not TOML, or hold dates.
TomlValue parse_toml(std::string_view bytes, const std::string& file);

}  // namespace clade
