#pragma once

#include <clade/types.h>

#include <cstddef>

namespace clade {

// Asks the system to back memory with large pages where it can, before it is first touched: filling hundreds of
// megabytes then costs hundreds of page faults instead of a hundred thousand. Advice only; never fails.
void prefer_large_pages(void* data, std::size_t bytes);

template <class T>
void prefer_large_pages(Buffer<T>& buffer) {
  prefer_large_pages(buffer.data(), static_cast<std::size_t>(buffer.size()) * sizeof(T));
}

}  // namespace clade
