#pragma once

namespace clade {

// Tells the allocator to keep freed memory for the next use instead of returning it: matrices of some megabytes that
// come and go in a loop otherwise cost more in page faults than in arithmetic. For programs, at their start; no effect
// where the C library is not glibc.
void keep_freed_memory();

}  // namespace clade
