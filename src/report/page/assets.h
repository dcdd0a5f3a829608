#pragma once

#include <string_view>

namespace clade {

// The style sheet and the scripts of pages: the files of src/report/assets, which the build turns into C++.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace clade
