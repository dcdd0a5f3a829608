#pragma once

#include <clade/context.h>
#include <clade/io.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// The values of some columns of a table as the file has them, row by row: texts of CSV, values of any kind of JSON
// lines, where a field that a row lacks is null. Throws Error (kInput) for an unknown column, and for formats that are
// no tables.
std::vector<std::vector<nlohmann::json>> kept_columns(std::string_view format, const Input& input,
                                                      const std::vector<std::string>& columns,
                                                      const ReadOptions& options);

}  // namespace clade
