#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <string>
#include <utility>
#include <vector>

namespace clade {

// A TOML document with the lines of its values, whatever the library that reads it.
struct TomlValue {
  enum class Kind { kText, kInteger, kNumber, kTruth, kList, kTable };
  Kind kind = Kind::kTable;
  Index line = 0;
  std::string text;                                        // of a single value, as a user would write a parameter
  std::vector<TomlValue> items;                            // of a list
  std::vector<std::pair<std::string, TomlValue>> members;  // of a table, in the order of the file

  bool is_single() const { return kind != Kind::kList && kind != Kind::kTable; }
  const TomlValue* find(std::string_view key) const;
};

// Throws Error (kInput) with the line if the bytes are not TOML, or hold dates.
TomlValue parse_toml(std::string_view bytes, const std::string& file);

}  // namespace clade
