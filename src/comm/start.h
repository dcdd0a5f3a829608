#pragma once

#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.h"

namespace clade {

// Was this process started together with others, by mpirun, or by srun with an MPI?
bool was_started_with_others();

struct TeamCallbacks {
  // Prints the one line that says why all processes end; called in one of them, perhaps by another thread.
  std::function<void(const std::string& line)> print;
  // Called once, by another thread, if some process has failed: the work should be given up soon.
  std::function<void()> give_up;
  // Was this process asked to stop? Called often, by another thread.
  std::function<bool()> was_asked;
};

// Joins the processes that were started together; a process by itself if it was not. Throws Error (kSystem) if MPI is
// needed and cannot be loaded.
//
// MPI is in a library of its own, clade_mpi.so, which is looked for where the variable CLADE_MPI says, beside the
// program, and in ../lib/clade from there.
std::unique_ptr<Communicator> start_team(const TeamCallbacks& callbacks);

// Throws Error (kInput) if a process has another text than the leader: another version of the program, another command.
// `what` names it.
void require_same(Communicator& team, const std::string& what, const std::string& text);

}  // namespace clade
