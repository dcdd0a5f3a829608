#pragma once

#include <cstdlib>
#include <filesystem>

namespace clade {

// Where public data sets may lie: CLADE_DATA, else shared/data beside the sources. Tests that need one skip without it.
inline std::filesystem::path real_data_folder() {
  if (const char* folder = std::getenv("CLADE_DATA")) return folder;
  return std::filesystem::path(CLADE_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace clade
