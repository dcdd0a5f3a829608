#pragma once

#include <list>
#include <mutex>

namespace clade {

// Bytes that the process has in use; 0 where the system does not tell.
double resident_bytes();

// Gives memory that is free back to the system, as far as it can be told apart, so that what is taken next shows.
void release_free_memory();

// The most that the process has in use while a piece of work lasts. Pieces that run at the same time see the sum.
// Asking takes some microseconds: work may be as short as a millisecond.
class PeakMemory {
 public:
  PeakMemory();
  ~PeakMemory();
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;

  // Begins a piece of work; keep the number for end().
  using Piece = std::list<double>::iterator;
  Piece begin();
  double end(Piece piece);

 private:
  void collect();
  void forget();
  double peak_bytes() const;

  std::mutex mutex_;
  std::list<double> running_;
  // Files of the system that stay open; -1: not there.
  int status_;
  int forget_;
  double least_usage_ = 0;  // up to which getrusage() may tell of what was before this process
};

}  // namespace clade
