#include "comm/team.h"

#include <clade/team.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "comm/collectives.h"
#include "comm/start.h"
#include "comm/tasks.h"
#include "core/content_hash.h"
#include "core/thread_pool.h"

namespace clade {

Team* team_of(Context& ctx) {
  Team* const team = ctx.team();
  const bool has_others = team != nullptr && !team->is_alone();
  return has_others && !team->is_sharing() && !ThreadPool::is_inside_task() ? team : nullptr;
}

std::shared_ptr<Team> join_team(const TeamOptions& options) {
  return std::make_shared<Team>(
      start_team({.print = options.print, .give_up = options.give_up, .was_asked = options.was_asked}));
}

bool leads(Context& ctx) {
  return ctx.team() == nullptr || ctx.team()->leads();
}

int rank(const Team& team) {
  return team.rank();
}

int size(const Team& team) {
  return team.size();
}

int processes_of_host(const Team& team) {
  int count = 0;
  for (int other = 0; other < team.size(); ++other) {
    if (team.processes().host(other) == team.processes().host(team.rank())) ++count;
  }
  return count;
}

double bytes_sent(const Team& team) {
  return team.processes().bytes_sent();
}

double seconds_waited(const Team& team) {
  return team.processes().seconds_waited();
}

std::string place(const Team& team) {
  if (team.size() == 1) return {};
  return fmt::format("rank {} on {}", team.rank(), team.processes().host(team.rank()));
}

void require_same(Team& team, const std::string& what, const std::string& text) {
  require_same(team.processes(), what, text);
}

std::string file_fingerprint(const std::string& path) {
  ContentHash hash;
  hash.add_file(path);
  return hash.text();
}

FileSamples sample_files(const std::vector<std::string>& paths) {
  constexpr std::size_t kPieces = 64;
  constexpr std::size_t kPiecesOfAll = 1024;
  const std::size_t pieces = std::clamp(kPiecesOfAll / std::max<std::size_t>(paths.size(), 1), std::size_t{2}, kPieces);
  FileSamples samples;
  ContentHash hash;
  for (const std::string& path : paths) samples.sizes.push_back(hash.add_pieces_of_file(path, pieces));
  samples.hash = hash.text();
  return samples;
}

std::vector<std::string> file_fingerprints(Team& team, const std::vector<std::string>& paths, Context& ctx) {
  SharedTasks tasks{.name = "fingerprints", .cost = {}, .threads = {}};
  for (const std::string& path : paths) tasks.cost.push_back(static_cast<double>(std::filesystem::file_size(path)));
  return run_tasks(team, tasks, [&](Index k) { return file_fingerprint(paths[static_cast<std::size_t>(k)]); }, ctx);
}

void keep_work(Team& team, const std::string& folder, bool resumes, const WorkFacts& facts) {
  std::unique_ptr<const WorkFolder> own;
  if (team.leads()) own = std::make_unique<const WorkFolder>(folder, resumes, facts, true);
  barrier(team.processes());
  if (!team.leads()) own = std::make_unique<const WorkFolder>(folder, resumes, facts, false);
  team.keep_work(std::move(own));
}

void finish(Team& team) {
  barrier(team.processes());
}

void fail(Team& team, int status, const std::string& line) {
  team.processes().fail(status, line, Cause::kOwn);
}

void stop(Team& team, int status, const std::string& line) {
  team.processes().fail(status, line, Cause::kAskedToStop);
}

int failure(const Team& team) {
  return team.processes().failure();
}

}  // namespace clade
