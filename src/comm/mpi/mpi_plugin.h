#pragma once

#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.h"

// What the library clade_mpi.so offers. It is loaded only in processes that were started together (comm/start.h), so
// that the program needs no MPI otherwise.
namespace clade {

struct MpiStart {
  // Prints the line with the reason why all processes end. Called in one process only, perhaps by another thread.
  std::function<void(const std::string& line)> print;
  // Called once, by another thread, when some process has failed: work should be given up soon.
  std::function<void()> give_up;
  // Was this process asked to stop? Called often, by another thread.
  std::function<bool()> was_asked;
  // Called before a process ends that has not given up its work.
  std::function<void()> remove_temporary_files;
  // In the worst case all end within the sum of the next two and some seconds for messages: half a minute.
  double silence = 15;   // seconds without a sign of life after which a process counts as lost
  double patience = 8;   // seconds until a process that does not give up its work is ended
  double meeting = 120;  // seconds that the processes may take to come together: starting many takes a while
  double parting = 25;   // and to part
  std::string place;     // "rank 3 on HOST", as far as is known before the processes have met
};

// Of the same sources as the program, or it is not used.
using MpiPluginVersion = const char* (*)();
inline constexpr const char* kMpiPluginVersion = "clade_mpi_version";

// Null if the process cannot take part, with the reason.
using MpiPluginStart = Communicator* (*)(const MpiStart& start, std::string& problem);
inline constexpr const char* kMpiPluginStart = "clade_mpi_start";

}  // namespace clade
