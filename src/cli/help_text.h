#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// clade --help
std::string help_text(const std::vector<CommandPage>& pages);
// clade COMMAND --help: what most users need, so that it fits on a screen; clade COMMAND --help-all: everything. With a
// method, also its parameters.
enum class HelpLength { kShort, kAll };
std::string help_text(const CommandPage& page, std::string_view method, HelpLength length);
// clade help reading: the options that commands share and do not repeat.
std::string shared_help_text(const std::vector<CommandPage>& pages);
inline constexpr std::string_view kSharedTopic = "reading";

}  // namespace clade::cli
