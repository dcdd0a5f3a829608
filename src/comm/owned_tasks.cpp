#include "comm/owned_tasks.h"

#include <atomic>
#include <optional>
#include <utility>

#include "comm/collectives.h"
#include "comm/dealer.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/parallel.h"

namespace clade {

OwnedTasks::OwnedTasks(Team& team, const SharedTasks& tasks)
    : team_(team),
      job_(team.next_job(tasks.name)),
      pieces_(pieces_of(tasks.cost)),
      piece_of_(tasks.cost.size()),
      results_(tasks.cost.size()) {
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    for (const Index task : pieces_[piece]) piece_of_[static_cast<std::size_t>(task)] = piece;
  }
  find_done();
  std::vector<double> cost(pieces_.size(), 0);
  for (const std::size_t task : open_) cost[piece_of_[task]] += tasks.cost[task];
  owners_ = NodeOwners(team, cost);
}

// The leader looks into the folder for all, so that all agree.
void OwnedTasks::find_done() {
  std::vector<std::string> found(pieces_.size());
  std::vector<char> is_done(pieces_.size(), 0);
  if (team_.folder() != nullptr) {
    for (std::size_t piece = 0; team_.leads() && piece < pieces_.size(); ++piece) {
      std::optional<std::string> bytes = team_.folder()->find(job_, static_cast<Index>(piece));
      if (!bytes) continue;
      is_done[piece] = 1;
      found[piece] = std::move(*bytes);
    }
    std::string known = ByteWriter().put(is_done).put(found).take();
    broadcast(team_.processes(), 0, known);
    ByteReader(known).get(is_done).get(found);
  }
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    is_done[piece] != 0 ? take(piece, found[piece]) : open_pieces_.push_back(piece);
  }
  for (std::size_t task = 0; task < results_.size(); ++task) {
    if (is_done[piece_of_[task]] == 0) open_.push_back(task);
  }
}

void OwnedTasks::take(std::size_t piece, std::string_view bytes) {
  ByteReader reader(bytes);
  for (const Index task : pieces_[piece]) reader.get(results_[static_cast<std::size_t>(task)]);
  CLADE_CHECK(reader.is_at_end());
}

std::string OwnedTasks::packed(std::size_t piece) const {
  ByteWriter bytes;
  for (const Index task : pieces_[piece]) bytes.put(results_[static_cast<std::size_t>(task)]);
  return bytes.take();
}

void OwnedTasks::keep(std::size_t piece) const {
  if (team_.folder() != nullptr) team_.folder()->keep(job_, static_cast<Index>(piece), packed(piece));
}

std::vector<std::string> OwnedTasks::run(const std::function<std::string(std::size_t task)>& work, Context& ctx,
                                         ResultsFor whom) {
  std::vector<std::size_t> own;  // those of a piece together, so that it is soon whole
  std::vector<std::atomic<std::size_t>> left(pieces_.size());
  for (const std::size_t piece : open_pieces_) {
    if (!owners_.is_own(piece)) continue;
    own.insert(own.end(), pieces_[piece].begin(), pieces_[piece].end());
    left[piece] = pieces_[piece].size();
  }
  Context::CommonFate fate(ctx);
  const auto do_task = [&](Index k, Index /*end*/) {
    const std::size_t task = own[static_cast<std::size_t>(k)];
    try {
      results_[task] = work(task);
      if (--left[piece_of_[task]] == 0) keep(piece_of_[task]);
    } catch (...) {
      fate.fail();
      throw;
    }
  };
  try {
    const Sharing sharing(team_);
    parallel_for(ctx, std::ssize(own), 1, do_task);
  } catch (...) {
    fate.rethrow();  // what came first, and not what came of it
    throw;
  }
  owners_.exchange(
      open_pieces_, [&](std::size_t piece, ByteWriter& bytes) { bytes.put(packed(piece)); },
      [&](std::size_t piece, ByteReader& bytes) { take(piece, bytes.bytes()); }, whom);
  if (whom == ResultsFor::kLeader && !team_.leads()) return {};
  return std::move(results_);
}

}  // namespace clade
