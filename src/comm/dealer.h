#pragma once

#include <clade/types.h>

#include <mutex>
#include <vector>

namespace clade {

// How shared tasks (tasks.h) are cut into pieces, and in which portions these are dealt out.

// The pieces: ascending numbers of tasks, the costliest pieces first. They depend on the costs only, so that a run can
// go on with another number of processes.
std::vector<std::vector<Index>> pieces_of(const std::vector<double>& cost);

// Which pieces are still to be dealt. The leader has it; any of its threads may ask.
class Dealer {
 public:
  // `threads`: how many each task can use; empty: as many as there are.
  Dealer(const std::vector<std::vector<Index>>& pieces, const std::vector<double>& cost,
         const std::vector<int>& threads, const std::vector<char>& is_done, int processes);

  // Numbers of pieces for a process with so many threads, none if all are dealt. Less and less at a time, so that
  // nobody has much left when the others have nothing; but something for each of its threads, if there is enough for
  // all.
  std::vector<Index> deal(int threads);

 private:
  struct Open {
    Index piece;
    double cost;
    Index threads;
  };
  int processes_;
  std::mutex mutex_;
  std::vector<Open> open_;
  std::size_t next_ = 0;
  double left_ = 0;
  Index threads_left_ = 0;
};

// When the last of equally fast processes is done with its share of the tasks, if a thread does a unit of cost in a
// unit of time. `threads`: how many each task can use; empty: as many as a process has.
double longest_load(const std::vector<double>& cost, const std::vector<int>& threads, int processes,
                    int threads_of_process);

}  // namespace clade
