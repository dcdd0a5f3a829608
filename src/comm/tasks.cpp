#include "comm/tasks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "comm/collectives.h"
#include "comm/dealer.h"
#include "core/byte_string.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/stopwatch.h"

namespace clade {
namespace {

using Pieces = std::vector<std::vector<Index>>;

std::string packed(const std::vector<std::string>& results, const std::vector<Index>& piece) {
  std::size_t size = 0;
  for (const Index task : piece) size += sizeof(std::uint64_t) + results[static_cast<std::size_t>(task)].size();
  ByteWriter bytes(size);
  for (const Index task : piece) bytes.put(results[static_cast<std::size_t>(task)]);
  return bytes.take();
}

class Run {
 public:
  Run(Team& team, const SharedTasks& tasks, const std::function<std::string(Index)>& work, Context& ctx)
      : team_(team),
        processes_(team.processes()),
        tasks_(tasks),
        job_(team.next_job(tasks.name)),
        work_(work),
        ctx_(ctx),
        fate_(ctx),
        pieces_(pieces_of(tasks.cost)),
        results_(tasks.cost.size()) {}

  std::vector<std::string> run(ResultsFor whom) {
    const auto start = std::chrono::steady_clock::now();
    const Sharing sharing(team_);
    const std::vector<char> is_done = find_done();
    try {
      team_.leads() ? lead(is_done) : follow();
    } catch (...) {
      fate_.rethrow();  // what came first, and not what came of it
      throw;
    }
    share_results(whom);
    record(seconds_since(start), whom);
    return std::move(results_);
  }

 private:
  // The leader looks into the folder for all, so that all agree.
  std::vector<char> find_done() {
    std::vector<char> is_done(pieces_.size(), 0);
    if (team_.folder() == nullptr || !team_.leads()) return is_done;
    parallel_for(ctx_, std::ssize(pieces_), 1, [&](Index k, Index) {
      const std::optional<std::string> bytes = team_.folder()->find(job_, k);
      if (!bytes) return;
      take(k, *bytes);
      is_done[static_cast<std::size_t>(k)] = 1;
    });
    return is_done;
  }

  void take(Index piece, std::string_view bytes) {
    ByteReader reader(bytes);
    for (const Index task : pieces_[static_cast<std::size_t>(piece)])
      reader.get(results_[static_cast<std::size_t>(task)]);
    CLADE_CHECK(reader.is_at_end());
  }

  // All tasks of these pieces, on all threads; then the pieces are kept.
  void work_on(const std::vector<Index>& pieces) {
    std::vector<Index> tasks;
    for (const Index piece : pieces) {
      const auto& own = pieces_[static_cast<std::size_t>(piece)];
      tasks.insert(tasks.end(), own.begin(), own.end());
    }
    parallel_for(ctx_, std::ssize(tasks), 1, [&](Index k, Index) {
      const Index task = tasks[static_cast<std::size_t>(k)];
      try {
        results_[static_cast<std::size_t>(task)] = work_(task);
      } catch (...) {
        fate_.fail();
        throw;
      }
    });
    if (team_.folder() == nullptr) return;
    for (const Index piece : pieces) {
      team_.folder()->keep(job_, piece, packed(results_, pieces_[static_cast<std::size_t>(piece)]));
    }
  }

  // Asks for pieces, and hands in those before with the question.
  void follow() {
    ByteWriter found;
    for (;;) {
      processes_.send(0, Topic::kAsk, ByteWriter().put(ctx_.threads()).put(found.take()).take());
      const auto pieces = ByteReader(processes_.receive(0, Topic::kDeal)).get<std::vector<Index>>();
      if (pieces.empty()) return;
      work_on(pieces);
      found = ByteWriter();
      for (const Index piece : pieces) {
        const auto& own = pieces_[static_cast<std::size_t>(piece)];
        found.put(piece).put(packed(results_, own));
        for (const Index task : own) results_[static_cast<std::size_t>(task)] = {};
      }
    }
  }

  void lead(const std::vector<char>& is_done) {
    Dealer dealer(pieces_, tasks_.cost, tasks_.threads, is_done, processes_.size());
    const auto open = std::ranges::count(is_done, 0);
    Progress progress(ctx_, "pieces", std::max<Index>(open, 1));
    std::atomic<bool> gives_up{false};
    std::thread serving;
    if (processes_.size() > 1) {
      serving = std::thread([&] {
        try {
          serve(dealer, progress, gives_up);
        } catch (...) {
          fate_.fail();
        }
      });
    }
    try {
      for (;;) {
        ctx_.check_cancelled();
        const std::vector<Index> pieces = dealer.deal(ctx_.threads());
        if (pieces.empty()) break;
        work_on(pieces);
        progress.advance(std::ssize(pieces));
      }
    } catch (...) {
      gives_up = true;
      if (serving.joinable()) serving.join();
      throw;
    }
    if (serving.joinable()) serving.join();
    fate_.rethrow();
  }

  // Answers the others until all of them have been told that there is no more.
  void serve(Dealer& dealer, Progress& progress, const std::atomic<bool>& gives_up) {
    const auto answer = [&](int from, std::string_view asked) {
      ByteReader question(asked);
      const int threads = question.get<int>();
      for (ByteReader found(question.bytes()); !found.is_at_end(); progress.advance()) {
        const auto piece = found.get<Index>();
        take(piece, found.bytes());
      }
      const std::vector<Index> pieces = dealer.deal(threads);
      processes_.send(from, Topic::kDeal, ByteWriter().put(pieces).take());
      return pieces.empty();
    };
    answer_others(processes_, Topic::kAsk, [&] { return gives_up.load(); }, answer);
  }

  // Nobody goes on before the leader has answered all: questions about further tasks would be taken for some about
  // these.
  void share_results(ResultsFor whom) {
    if (processes_.size() == 1) return;
    std::string bytes;
    if (team_.leads() && whom == ResultsFor::kAll) {
      std::size_t size = sizeof(std::uint64_t);
      for (const std::string& result : results_) size += sizeof(std::uint64_t) + result.size();
      bytes = ByteWriter(size).put(results_).take();
    }
    broadcast(processes_, 0, bytes);
    if (team_.leads()) return;
    results_.clear();
    if (whom == ResultsFor::kAll) ByteReader(bytes).get(results_);
  }

  void record(double seconds, ResultsFor whom) const {
    if (team_.record() == nullptr) return;
    double bytes = 0;
    for (const std::string& result : results_) bytes += static_cast<double>(result.size());
    team_.record()->tasks.push_back({tasks_.cost, tasks_.threads, seconds, bytes, whom});
  }

  Team& team_;
  Communicator& processes_;
  const SharedTasks& tasks_;
  std::string job_;
  const std::function<std::string(Index)>& work_;
  Context& ctx_;
  Context::CommonFate fate_;
  Pieces pieces_;
  std::vector<std::string> results_;
};

}  // namespace

std::vector<std::string> run_tasks(Team& team, const SharedTasks& tasks, const std::function<std::string(Index)>& work,
                                   Context& ctx, ResultsFor whom) {
  return Run(team, tasks, work, ctx).run(whom);
}

std::string run_together(Team& team, const std::string& name, const std::function<std::string()>& make) {
  if (team.folder() == nullptr) return make();
  const std::string job = team.next_job(name);
  constexpr Index kOnlyPiece = 0;
  std::optional<std::string> kept;
  if (team.leads()) kept = team.folder()->find(job, kOnlyPiece);
  // The leader looks into the folder for all, so that all agree.
  std::string found = ByteWriter().put(kept.has_value()).put(kept.value_or("")).take();
  broadcast(team.processes(), 0, found);
  ByteReader reader(found);
  if (reader.get<bool>()) return std::string(reader.bytes());
  std::string made = make();
  if (team.leads()) team.folder()->keep(job, kOnlyPiece, made);
  return made;
}

}  // namespace clade
