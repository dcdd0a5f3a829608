#pragma once

#include <list>
#include <mutex>

namespace clade {

// Bytes that the process has in use; 0 where the system does not tell.
double resident_bytes();

// The most that the process has in use while a piece of work lasts. Pieces that run at the same time see the sum.
class PeakMemory {
 public:
  // Begins a piece of work; keep the number for end().
  using Piece = std::list<double>::iterator;
  Piece begin();
  double end(Piece piece);

 private:
  void collect();

  std::mutex mutex_;
  std::list<double> running_;
};

}  // namespace clade
