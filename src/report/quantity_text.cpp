#include "report/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace clade {

std::string time_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", std::max(1.0, 1000 * seconds));
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string memory_text(double bytes) {
  if (bytes > 0 && bytes < 0x1p20) return "<1 MiB";
  return bytes < 0x1p30 ? fmt::format("{:.0f} MiB", bytes / 0x1p20) : fmt::format("{:.1f} GiB", bytes / 0x1p30);
}

}  // namespace clade
