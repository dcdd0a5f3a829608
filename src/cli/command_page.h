#pragma once

#include <clade/methods.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clade::cli {

// What the tool says about its commands: help, manual pages, shell completion, suggestions for misspelt names and the
// configuration file all come from these descriptions, which Arguments collects while a command declares itself.

struct PositionalPage {
  std::string name;
  std::string help;
  bool is_required = true;
  bool repeats = false;  // it may stand several times; then it is the last
};

struct OptionPage {
  std::string flags;  // "-o,--output"
  std::string kind;   // one word for its value; empty: a flag
  std::string help;
  std::vector<std::string> choices;

  bool is_flag() const { return kind.empty(); }
  // "--output"
  std::string long_flag() const { return flags.substr(flags.rfind("--")); }
  // "-o", or nothing
  std::string short_flag() const { return flags.starts_with("--") ? "" : flags.substr(0, 2); }
};

struct OptionGroup {
  // Where the help shows the group: with the command, on a page that commands share, or for one method at a time.
  enum class Place { kCommand, kSharedPage, kMethod };

  std::string heading;
  Place place = Place::kCommand;
  std::vector<OptionPage> options;
};

// A command whose work is done by one of several methods.
struct MethodChoice {
  std::string flag;  // "--classifier"
  std::string word;  // "classifier"
  std::vector<MethodInfo> methods;
};

struct CommandPage {
  std::string name;
  std::string help;
  std::vector<PositionalPage> positionals;
  std::vector<OptionGroup> groups;
  std::optional<MethodChoice> choice;
  std::string examples;
  std::vector<std::string> often;  // long flags that the short help shows; empty: it shows all

  // By "--output" or "-o"; null if there is none.
  const OptionPage* find(std::string_view flag) const;
};

// An option of a table of parameters, or of a method.
OptionPage option_page(const ParameterInfo& parameter);

// The method of this name. Throws Error (kInput) that suggests another if there is none.
const MethodInfo& method_named(const MethodChoice& choice, std::string_view name);

// The command of this name. Throws Error (kInput) that suggests another if there is none.
const CommandPage& command_named(const std::vector<CommandPage>& pages, std::string_view name);

}  // namespace clade::cli
