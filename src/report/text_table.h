#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// How many cells of a terminal a text takes: 2 for wide characters, 0 for those that join others.
int display_width(std::string_view utf8);

// Rows of cells, aligned: the first `left` columns to the left, the others to the right, two blanks between columns and
// before the first. Rows may end early.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace clade
