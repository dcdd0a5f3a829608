#include "experiment/process_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace clade {
namespace {

// The peak since it was last forgotten, in bytes.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    double kilobytes = 0;
    if (std::sscanf(line.c_str(), "VmHWM: %lf", &kilobytes) == 1) return 1024 * kilobytes;
  }
  return 0;
}

// Linux begins a new peak when 5 is written there. Where that is not allowed, peaks are those of the process so far.
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0;
  double resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void PeakMemory::collect() {
  const double peak = peak_bytes();
  for (double& piece : running_) piece = std::max(piece, peak);
}

PeakMemory::Piece PeakMemory::begin() {
  const std::lock_guard lock(mutex_);
  collect();
  forget_peak();
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
