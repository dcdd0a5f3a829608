#pragma once

#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The number of terminal cells that a text takes: 2 for wide characters, 0 for combining ones.
int display_width(std::string_view utf8);

// A text of at most `width` cells: a longer one is cut after a whole character and ends in "...". Requires a width of
// at least 3.
std::string shortened(std::string_view utf8, int width);

// Rows of cells as an aligned table: the first `left` columns and those from `text_from` on are left-aligned, the
// others right-aligned, with two blanks before every column. Rows may end early.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t left,
                          std::size_t text_from = std::string::npos);

// 1234567 as "1,234,567".
std::string grouped(Index number);

// "1 node", "2 nodes".
std::string counted(std::size_t number, std::string_view noun);

}  // namespace clade
