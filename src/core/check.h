#pragma once

#include <clade/error.h>

namespace clade {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace clade

// Checks an invariant of Clade itself. A failure is a bug in Clade, never the user's fault.
#define CLADE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::clade::check_failed(#condition, __FILE__, __LINE__))
