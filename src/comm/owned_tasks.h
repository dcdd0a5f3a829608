#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/node_owners.h"
#include "comm/tasks.h"
#include "comm/team.h"

namespace clade {

// Tasks that need data of their own, which have to be brought to whoever does them: so each has its process from the
// beginning. They go into pieces as those of run_tasks() do; what the work folder has is not done again. All processes
// make it with the same tasks.
class OwnedTasks {
 public:
  OwnedTasks(Team& team, const SharedTasks& tasks);

  // Tasks that are still to be done, ascending, and whose they are.
  const std::vector<std::size_t>& open() const { return open_; }
  int owner(std::size_t task) const { return owners_.owner(piece_of_[task]); }

  // Does the own tasks on all threads: work(task) gives bytes. Returns the results of all: to all processes, or to the
  // leader alone, and nothing to the others.
  std::vector<std::string> run(const std::function<std::string(std::size_t task)>& work, Context& ctx,
                               ResultsFor whom = ResultsFor::kAll);

 private:
  void find_done();
  void take(std::size_t piece, std::string_view bytes);
  std::string packed(std::size_t piece) const;
  void keep(std::size_t piece) const;

  Team& team_;
  std::string job_;
  std::vector<std::vector<Index>> pieces_;
  std::vector<std::size_t> piece_of_;  // each task
  std::vector<std::string> results_;
  std::vector<std::size_t> open_;
  std::vector<std::size_t> open_pieces_;  // the costliest first
  NodeOwners owners_;                     // of pieces
};

}  // namespace clade
