#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// "a, b, c and 4 more": the first `most` of them.
std::string short_list(std::span<const std::string> items, std::size_t most);

// The parts of a list, which a comma separates; one empty part for an empty text.
std::vector<std::string_view> comma_parts(std::string_view text);

}  // namespace clade
