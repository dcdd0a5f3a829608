#pragma once

#include <cstdlib>
#include <string_view>

namespace clade::testing {

// How many random cases a test takes. `make test` takes some of every kind, `make test-full` (CLADE_FULL) all of them.
inline int how_many(int some, int all) {
  const char* const full = std::getenv("CLADE_FULL");
  return full != nullptr && !std::string_view(full).empty() ? all : some;
}

}  // namespace clade::testing
