#pragma once

#include <clade/io.h>

#include <optional>
#include <string_view>

namespace clade {

// The format of data that a user means: by its name, by an ending of its files, or by what other programs call it
// (jsonl, svmlight, matlab). Nothing if there is none.
std::optional<FormatInfo> find_data_format(std::string_view name);

}  // namespace clade
