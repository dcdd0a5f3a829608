#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// "a, b, c and 4 more": the first `most` names.
std::string short_list(std::span<const std::string> items, std::size_t most);

// The parts of a comma-separated list; an empty text gives one empty part.
std::vector<std::string_view> comma_parts(std::string_view text);

// ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);

}  // namespace clade
