#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"

// Operations that all processes call at the same point, in the same order. They go along binomial trees, in
// log2(processes) steps.
namespace clade {

// The bytes of process `root` for all.
void broadcast(Communicator& team, int root, std::string& bytes);

// The bytes of all processes, by number, for `root`; the others get nothing.
std::vector<std::string> gather(Communicator& team, int root, std::string own);

// The same for all.
std::vector<std::string> all_gather(Communicator& team, std::string own);

// What these cost: how many times a process sends the bytes of a broadcast from process 0, and from how many processes,
// itself included, are the bytes that it sends in a gather for process 0.
int sends_of_broadcast(int rank, int size);
int gathered_by(int rank, int size);

// Returns when all have called it.
void barrier(Communicator& team);

}  // namespace clade
