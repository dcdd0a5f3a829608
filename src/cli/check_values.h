#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// An option that was given, on the command line or in a configuration file.
struct GivenValue {
  const OptionPage* option = nullptr;
  std::string value;
};

// Throws Error (kInput) for a value that says nothing, as an unset variable of a script gives, and for two outputs that
// are one file under whatever names: one of them would overwrite the other.
void check_values(std::span<const GivenValue> given);
void check_positionals(const CommandPage& page, std::span<const std::string> values);

}  // namespace clade::cli
