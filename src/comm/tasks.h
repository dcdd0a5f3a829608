#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <functional>
#include <string>
#include <vector>

#include "comm/team.h"

namespace clade {

// Tasks that do not depend on each other, each with a result in bytes. `name` says what they are, in letters, digits
// and '-'; a cost, in any unit, is what a task takes in proportion to others.
struct SharedTasks {
  std::string name;
  std::vector<double> cost;
  std::vector<int> threads;  // how many each can use; empty: as many as there are
};

// Deals the tasks out to the processes of the team: costly ones first, and then to whoever has nothing to do. Every
// process calls this with the same tasks, and runs its share on all its threads: work(task) is called once for each
// task, in one of the processes. Finished pieces, of several small tasks or a large one, go into the work folder, if
// there is one; pieces that are there already are not done again. Gives all results, to all processes; or to the leader
// alone, and nothing to the others, which then need no memory for those of others.
std::vector<std::string> run_tasks(Team& team, const SharedTasks& tasks, const std::function<std::string(Index)>& work,
                                   Context& ctx, ResultsFor whom = ResultsFor::kAll);

// One piece of work that all processes do together: make() gives the same bytes in each of them. It is kept in the work
// folder, if there is one, and not done again where it is there already.
std::string run_together(Team& team, const std::string& name, const std::function<std::string()>& make);

}  // namespace clade
