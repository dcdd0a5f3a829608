#include <clade/context.h>
#include <clade/error.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/large_memory.h"
#include "core/large_pages.h"
#include "core/memory_size.h"

namespace clade {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMega = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMega);  // the most that glibc allows
  mallopt(M_TRIM_THRESHOLD, 512 * kMega);
#endif
}

namespace {

constexpr std::size_t kLargePage = 2U << 20U;

}  // namespace

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // Only whole large pages: memory that shares a page with something else keeps small pages.
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  if (first < last) ::madvise(static_cast<char*>(data) + (first - address), last - first, MADV_HUGEPAGE);
#endif
}

namespace {

// Calls advise(begin, bytes) for whole pages.
template <class Advise>
void for_pages(const void* data, std::size_t bytes, const Advise& advise) {
  constexpr std::uintptr_t kPage = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = address / kPage * kPage;
  if (bytes > 0) advise(first, address + bytes - first);
}

}  // namespace

void read_ahead(const void* data, std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{128} << 10U;  // systems read no more than this at once
  for_pages(data, bytes, [&](std::uintptr_t begin, std::size_t all) {
    for (std::size_t done = 0; done < all; done += kPiece) {
      ::madvise(reinterpret_cast<void*>(begin + done), std::min(kPiece, all - done), MADV_WILLNEED);
    }
  });
}

void expect_random_reads(const void* data, std::size_t bytes, bool are_random) {
  for_pages(data, bytes, [&](std::uintptr_t begin, std::size_t all) {
    ::madvise(reinterpret_cast<void*>(begin), all, are_random ? MADV_RANDOM : MADV_NORMAL);
  });
}

std::string bytes_text(double bytes) {
  constexpr double kMega = 1024.0 * 1024.0;
  if (bytes < kMega) return fmt::format("{:.0f} KiB", std::ceil(bytes / 1024));
  return bytes < 1024 * kMega ? fmt::format("{:.0f} MiB", std::ceil(bytes / kMega))
                              : fmt::format("{:.1f} GiB", bytes / (1024 * kMega));
}

double parse_bytes(std::string_view text, std::string_view name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const double factor = unit.empty() ? 1 : unit == "K" ? 1024.0 : unit == "M" ? 0x1p20 : unit == "G" ? 0x1p30 : 0;
  if (error != std::errc{} || factor == 0 || !(value > 0) || !std::isfinite(value)) {
    throw usage_error(fmt::format("`{}`: '{}'", name, text),
                      "expected an amount such as 4G, 512M or a number of bytes");
  }
  return value * factor;
}

double parse_bytes(std::string_view text) {
  return parse_bytes(text, "memory");
}

double default_memory_limit() {
  return 0.8 * available_memory();
}

}  // namespace clade
