#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// clade --help
std::string help_text(const std::vector<CommandPage>& pages);
// clade COMMAND --help. With a method, its parameters and what is peculiar to it; without, what all methods share.
std::string help_text(const CommandPage& page, std::string_view method);
// clade help reading: the options that commands share and do not repeat.
std::string shared_help_text(const std::vector<CommandPage>& pages);
inline constexpr std::string_view kSharedTopic = "reading";

}  // namespace clade::cli
