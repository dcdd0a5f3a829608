#pragma once

namespace clade {

// Asks the processor to bring memory into its cache before it is needed; `to_write` also takes it away from other
// processors. Only advice, and never an error, whatever the address.
//
// On x86 in assembly: g++ takes a function that does nothing but __builtin_prefetch() for one without any effect, and
// silently drops all calls to it.
inline void fetch_ahead(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address);
#endif
}

inline void fetch_ahead_to_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace clade
