#include "experiment/process_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace clade {
namespace {

double usage_bytes() {
  struct rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? 1024 * static_cast<double>(usage.ru_maxrss) : 0;
}

}  // namespace

double resident_bytes() {
  // Open for good: it is asked for with every cell.
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  std::array<char, 128> text{};
  if (file < 0 || ::pread(file, text.data(), text.size() - 1, 0) <= 0) return 0;
  double resident = 0;
  if (std::sscanf(text.data(), "%*f %lf", &resident) != 1) return 0;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void release_free_memory() {
  malloc_trim(0);
}

PeakMemory::PeakMemory()
    : status_(::open("/proc/self/status", O_RDONLY | O_CLOEXEC)),
      forget_(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)) {
  forget();
  least_usage_ = usage_bytes();
}

PeakMemory::~PeakMemory() {
  for (const int file : {status_, forget_}) {
    if (file >= 0) ::close(file);
  }
}

// The peak since it was last forgotten. getrusage() is ten times faster, but also knows of the program that was
// replaced by this one, and forgets nothing of that.
double PeakMemory::peak_bytes() const {
  if (const double usage = usage_bytes(); usage > least_usage_) return usage;
  std::array<char, 4096> text{};
  const ssize_t size = status_ < 0 ? -1 : ::pread(status_, text.data(), text.size() - 1, 0);
  if (size <= 0) return 0;
  const auto at = std::string_view(text.data(), static_cast<std::size_t>(size)).find("VmHWM:");
  double kilobytes = 0;
  if (at == std::string_view::npos || std::sscanf(text.data() + at, "VmHWM: %lf", &kilobytes) != 1) return 0;
  return 1024 * kilobytes;
}

void PeakMemory::collect() {
  if (running_.empty()) return;
  const double peak = peak_bytes();
  for (double& piece : running_) piece = std::max(piece, peak);
}

// Linux begins a new peak when 5 is written there. Where that is not allowed, peaks are those of the process so far.
void PeakMemory::forget() {
  if (forget_ >= 0 && ::pwrite(forget_, "5", 1, 0) != 1) ::close(std::exchange(forget_, -1));
}

PeakMemory::Piece PeakMemory::begin() {
  const std::lock_guard lock(mutex_);
  collect();
  forget();
  return running_.insert(running_.end(), 0);
}

double PeakMemory::end(Piece piece) {
  const std::lock_guard lock(mutex_);
  collect();
  const double peak = *piece;
  running_.erase(piece);
  return peak;
}

}  // namespace clade
