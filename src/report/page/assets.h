#pragma once

#include <string_view>

namespace clade {

// The style sheet and the scripts of pages: the files of src/report/assets, which the build turns into C++.
std::string_view page_style();
std::string_view page_script();

}  // namespace clade
