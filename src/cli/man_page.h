#pragma once

#include <string>
#include <vector>

#include "cli/command_page.h"

namespace clade::cli {

// Manual pages in the man macros of roff: clade.1, and clade-COMMAND.1.
std::string man_page(const std::vector<CommandPage>& pages);
std::string man_page(const CommandPage& page);

}  // namespace clade::cli
