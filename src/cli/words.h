#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// The words of a command line after the name of the command, sorted by what they are.
struct CommandWords {
  bool wants_help = false;
  bool wants_all = false;  // of the help
  std::vector<std::string> positionals;
  std::map<std::string, std::string> options;  // by long flag; of one given twice the last value; empty for flags
};

// Throws Error (kInput) for an option that the command does not have, and for an argument too many: the first of them,
// with the name that was probably meant.
CommandWords sort_words(std::span<const std::string> words, const CommandPage& page,
                        const std::vector<CommandPage>& pages);

}  // namespace clade::cli
