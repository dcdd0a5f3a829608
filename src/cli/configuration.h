#pragma once

#include <string>
#include <vector>

#include "cli/command_page.h"
#include "cli/words.h"

namespace clade::cli {

// Defaults of options from clade.toml, in the working folder and in the user's folder of configuration
// ($XDG_CONFIG_HOME/clade, otherwise ~/.config/clade); the working folder goes before:
//
//   [train]
//   classifier = "C"
//   c = 10
//
// A section is a command. What stands before the first section is for every command that has such an option.
struct Defaults {
  std::vector<std::string> words;  // to put before those of the command line: "--classifier=C"
  std::string note;                // what was taken from which file; empty: nothing
};

// The defaults of a command for the options that the command line does not have. A parameter that belongs to methods is
// left out if the method in use does not have it. Throws Error (kInput) for a file that is not well-formed, and for
// sections and keys that do not exist.
Defaults read_defaults(const CommandPage& page, const std::vector<CommandPage>& pages, const CommandWords& given);

}  // namespace clade::cli
