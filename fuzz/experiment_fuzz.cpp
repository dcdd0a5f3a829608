// Experiment files: TOML, and everything that is checked of it.

#include <clade/error.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "experiment/specification.h"
#include "experiment/toml_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 4096;  // grids of a million recipes take long
  if (size > kMost) return 0;
  try {
    clade::parse_experiment(clade::parse_toml({reinterpret_cast<const char*>(data), size}, "fuzz.toml"), "fuzz.toml",
                            1);
  } catch (const clade::Error&) {
  }
  return 0;
}
