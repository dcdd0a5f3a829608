// All memory of the tool is taken here, so that large blocks beyond its limit go into files, whatever asks for them.
// Sanitizers have functions of their own in these places.

#include "core/large_memory.h"

#include "core/large_pages.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

// A block may be a little larger than it was asked to be; what counts is its size when it is given back.
constexpr std::size_t kNearlyLarge = clade::kLargeBlock - 4096;

// From this size on, large pages save time: first use of memory costs a fault per page.
constexpr std::size_t kAdvised = std::size_t{2} << 20U;

void* from_heap(std::size_t bytes, std::size_t alignment) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) return nullptr;
  void* block = alignment <= alignof(std::max_align_t)
                    ? std::malloc(std::max<std::size_t>(bytes, 1))
                    : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block == nullptr || bytes < kAdvised) return block;
  clade::prefer_large_pages(block, bytes);
  if (bytes < kNearlyLarge) return block;
  const std::size_t size = malloc_usable_size(block);
  if (size >= clade::kLargeBlock) clade::count_large_block(static_cast<std::ptrdiff_t>(size));
  return block;
}

void* taken(std::size_t bytes, std::size_t alignment) {
  const bool is_large = bytes >= clade::kLargeBlock;
  void* block = is_large && clade::is_beyond_limit(bytes) ? clade::take_filed_block(bytes) : nullptr;
  // Without room on a disk, the limit still holds: taking more would end in the system stopping the program.
  if (block == nullptr && (!is_large || clade::fits_below_limit(bytes))) block = from_heap(bytes, alignment);
  if (block == nullptr && is_large) block = clade::take_filed_block(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void given_back(void* block) noexcept {
  if (block == nullptr || clade::give_back_filed_block(block)) return;
  const std::size_t bytes = malloc_usable_size(block);
  if (bytes >= clade::kLargeBlock) clade::count_large_block(-static_cast<std::ptrdiff_t>(bytes));
  std::free(block);
}

}  // namespace

// The other forms end up in these.
void* operator new(std::size_t bytes) {
  return taken(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return taken(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept {
  given_back(block);
}
void operator delete(void* block, std::size_t) noexcept {
  given_back(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  given_back(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  given_back(block);
}

#endif
