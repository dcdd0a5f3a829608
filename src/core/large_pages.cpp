#include "core/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace clade {
namespace {

constexpr std::size_t kLargePage = 2U << 20U;

}  // namespace

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // Whole large pages only: what shares a page with other memory keeps its small ones.
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  if (first < last) ::madvise(static_cast<char*>(data) + (first - address), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace clade
