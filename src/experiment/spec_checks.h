#pragma once

#include <clade/error.h>
#include <clade/parameters.h>
#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "experiment/toml_file.h"

namespace clade {

std::string without_backquotes(std::string text);

// The lines of an experiment file, for its messages.
class SpecFile {
 public:
  explicit SpecFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  Error error(const TomlValue& at, std::string_view problem, std::string_view expected = {}) const {
    return input_error({.file = path_, .line = at.line}, problem, expected);
  }
  // Does something that throws Error, at a line of this file. There, parameters are keys and no flags.
  template <class Work>
  auto at(const TomlValue& value, const Work& work) const {
    try {
      return work();
    } catch (const Error& found) {
      if (found.kind() != Error::Kind::kInput || !found.where().file.empty()) throw;
      throw error(value, without_backquotes(found.problem()), without_backquotes(found.expected()));
    }
  }

  // The value as text. Throws Error if it is a list or a table.
  const std::string& single(const TomlValue& value, std::string_view key) const;
  // One value or a list of them, at least one.
  std::vector<std::string> list(const TomlValue& value, std::string_view key) const;
  // A name that no other of the same kind has.
  const std::string& name(const TomlValue& table, std::string_view kind) const;
  void require_table(const TomlValue& value, std::string_view key) const;
  // An unknown key, with the nearest of those that there are.
  Error unknown_key(const TomlValue& at, std::string_view key, std::string_view of,
                    const std::vector<std::string>& known) const;
  // Sets a parameter of the tables; false if none of them has it.
  bool set(const std::vector<ParameterTable>& tables, const std::string& key, const TomlValue& value) const;
  // A file beside this one, which must exist. ${NAME} in it stands for a variable of the environment.
  std::string file(const TomlValue& value, std::string_view key) const;
  std::string beside(const std::string& file) const;

 private:
  std::string with_variables(const TomlValue& value, std::string text) const;

  std::string path_;
};

std::vector<std::string> parameter_names(const std::vector<ParameterTable>& tables);

// Two documents that mean the same have the same text, whatever their order of keys and their comments.
std::string canonical_text(const TomlValue& value);

}  // namespace clade
