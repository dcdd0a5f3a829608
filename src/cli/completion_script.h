#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// A script that makes a shell (bash, zsh or fish) complete commands, options, methods and words of choices. Throws
// Error (kInput) for another shell.
std::string completion_script(std::string_view shell, const std::vector<CommandPage>& pages);

}  // namespace clade::cli
