#pragma once

#include <clade/types.h>

#include <cstddef>
#include <vector>

namespace clade {

// Asks the system to back memory with large pages, if it can, before the memory is first touched: filling hundreds of
// megabytes then costs hundreds of page faults instead of a hundred thousand. Only advice; it never fails.
void prefer_large_pages(void* data, std::size_t bytes);

template <class T>
void prefer_large_pages(Buffer<T>& buffer) {
  prefer_large_pages(buffer.data(), static_cast<std::size_t>(buffer.size()) * sizeof(T));
}

// Says that memory is needed soon: where it is that of a file, the system begins to read all of it now. Only advice.
void read_ahead(const void* data, std::size_t bytes);
// Says that memory will be read here and there: where it is that of a file, the system then reads what is asked for and
// read_ahead(), and not megabytes around it. Only advice.
void expect_random_reads(const void* data, std::size_t bytes, bool are_random);

// A vector of zeros in memory that was advised before it was written.
template <class T>
std::vector<T> zeros_on_large_pages(Index size) {
  std::vector<T> result;
  result.reserve(static_cast<std::size_t>(size));
  prefer_large_pages(result.data(), static_cast<std::size_t>(size) * sizeof(T));
  result.resize(static_cast<std::size_t>(size));
  return result;
}

}  // namespace clade
