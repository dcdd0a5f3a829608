#pragma once

#include <clade/error.h>

namespace clade {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace clade

// An invariant of Clade itself. Its failure is a bug here, never the user's fault.
#define CLADE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::clade::check_failed(#condition, __FILE__, __LINE__))
