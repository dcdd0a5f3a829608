#pragma once

#include <clade/io.h>

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// Formats below a title, for people; and {"data", "taxonomies"}, lists of {"name", "endings", "writes", "help"}, for
// programs.
std::string formats_text(std::string_view title, const std::vector<FormatInfo>& formats);
std::string formats_json(const std::vector<FormatInfo>& data, const std::vector<FormatInfo>& taxonomies);

}  // namespace clade
