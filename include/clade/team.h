#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// The processes that do a piece of work together: those that mpirun has started, or this one alone. Given to a Context
// (Context::Options::team), long work is shared among them. Every process then calls the same functions with the same
// data, and gets the same result, which has the same bytes for any number of processes.
class Context;
class Team;

struct TeamOptions {
  // Prints the one line that says why all processes end. Called in one of them, perhaps by another thread.
  std::function<void(const std::string& line)> print;
  // Called once, by another thread, if some process has failed: the work should be given up soon.
  std::function<void()> give_up;
  // Was this process asked to stop? Called often, by another thread.
  std::function<bool()> was_asked;
};

// Joins the processes that were started together. Throws Error (kSystem) if they need MPI, and it cannot be loaded.
std::shared_ptr<Team> join_team(const TeamOptions& options);

// From 0; number 0 leads.
int rank(const Team& team);
int size(const Team& team);
// How many of them are on the machine of this one.
int processes_of_host(const Team& team);
// Is this process the one that writes the results? The leader of a team is, and a process by itself.
bool leads(Context& ctx);
// Bytes that this process has sent to others so far.
double bytes_sent(const Team& team);
// Seconds in which this process has waited for messages of others.
double seconds_waited(const Team& team);
// "rank 3 on HOST", or nothing for a process by itself.
std::string place(const Team& team);

// Throws Error (kInput) if a process has another text than the leader; `what` names it. All processes call it.
void require_same(Team& team, const std::string& what, const std::string& text);

// What is worked on, by name.
using WorkFacts = std::vector<std::pair<std::string, std::string>>;

// 128 bits, in hexadecimal, of the bytes of a file. Throws Error (kSystem).
std::string file_fingerprint(const std::string& path);

// What tells files apart from others of the same names, of which not much is read: their sizes, and a hash of pieces of
// them, 4 MiB of a file and about 64 MiB of many, small files as a whole. Throws Error (kInput) if one is not there.
struct FileSamples {
  std::vector<std::size_t> sizes;
  std::string hash;
};
FileSamples sample_files(const std::vector<std::string>& paths);

// The fingerprints of several files; the processes of the team, which all call it, read some of them each.
std::vector<std::string> file_fingerprints(Team& team, const std::vector<std::string>& paths, Context& ctx);

// Keeps finished pieces of the work in a folder that all processes see, and goes on with what is there if `resumes`:
// but only with the same facts. All processes call it. Throws Error (kInput) if the folder holds something else.
void keep_work(Team& team, const std::string& folder, bool resumes, const WorkFacts& facts);

// Waits for all processes, at the end of the work.
void finish(Team& team);
// Says why this process cannot go on; all processes then end with this status. Returns when that is under way. In one
// of them, TeamOptions::print was called.
void fail(Team& team, int status, const std::string& line);
// The same for a process that was asked to stop. If that was because another process has ended, this is told instead.
void stop(Team& team, int status, const std::string& line);
// The status with which all have to end; nothing has failed: 0.
int failure(const Team& team);

}  // namespace clade
