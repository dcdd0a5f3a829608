#include "comm/tasks.h"

#include <clade/error.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "comm/dealer.h"
#include "comm/local_team.h"
#include "core/random.h"
#include "temporary_folder.h"

namespace clade {
namespace {

std::string result_of(Index task) {
  return std::string(static_cast<std::size_t>(task % 4), 'x') + std::to_string(task);
}

std::vector<double> random_costs(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 80});
  std::vector<double> cost(count);
  for (double& value : cost) value = std::exp(4 * random.normal());
  return cost;
}

// Runs the tasks in a team and gives what each process got.
struct Outcome {
  std::vector<std::vector<std::string>> results;  // by process
  std::vector<int> done;                          // how often each task was done
};
Outcome run(int size, const std::vector<double>& cost, const std::string& folder = {}, Index fails_at = -1,
            ResultsFor whom = ResultsFor::kAll) {
  std::vector<std::atomic<int>> done(cost.size());
  Outcome outcome;
  outcome.results.resize(static_cast<std::size_t>(size));
  LocalTeam(size).run([&](Team& team) {
    if (!folder.empty()) team.keep_work(std::make_unique<WorkFolder>(folder, true, WorkFolder::Facts{}, team.leads()));
    Context ctx({.threads = 2});
    outcome.results[static_cast<std::size_t>(team.rank())] = run_tasks(
        team, {"test", cost},
        [&](Index task) {
          if (task == fails_at) throw std::runtime_error("stopped");
          ++done[static_cast<std::size_t>(task)];
          return result_of(task);
        },
        ctx, whom);
  });
  for (const auto& count : done) outcome.done.push_back(count.load());
  return outcome;
}

std::vector<std::string> expected_results(std::size_t count) {
  std::vector<std::string> results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(result_of(static_cast<Index>(k)));
  return results;
}

TEST(Tasks, EachIsDoneOnceAndAllGetTheResults) {
  for (const int size : {1, 2, 3, 7}) {
    for (const std::size_t count : {0UL, 1UL, 300UL, 3000UL}) {
      const Outcome outcome = run(size, random_costs(count, 2));
      EXPECT_EQ(outcome.done, std::vector<int>(count, 1));
      for (const auto& results : outcome.results) EXPECT_EQ(results, expected_results(count)) << size;
    }
  }
}

TEST(Tasks, TheLeaderAloneGetsTheResults) {
  for (const int size : {1, 2, 7}) {
    for (const std::size_t count : {0UL, 1UL, 700UL}) {
      const Outcome outcome = run(size, random_costs(count, 5), {}, -1, ResultsFor::kLeader);
      EXPECT_EQ(outcome.done, std::vector<int>(count, 1));
      EXPECT_EQ(outcome.results[0], expected_results(count));
      for (std::size_t k = 1; k < outcome.results.size(); ++k) EXPECT_TRUE(outcome.results[k].empty());
    }
  }
}

TEST(Tasks, FollowEachOtherWithoutMixing) {
  constexpr Index kRounds = 200;
  for (const int size : {2, 3, 7}) {
    LocalTeam(size).run([&](Team& team) {
      Context ctx({.threads = 1});
      for (Index round = 0; round < kRounds; ++round) {
        const SharedTasks tasks{"test", random_costs(static_cast<std::size_t>(round % 5), 6)};
        const auto whom = round % 3 == 0 ? ResultsFor::kAll : ResultsFor::kLeader;
        const std::vector<std::string> found =
            run_tasks(team, tasks, [&](Index task) { return result_of(round * 10 + task); }, ctx, whom);
        if (whom == ResultsFor::kLeader && !team.leads()) continue;
        ASSERT_EQ(std::ssize(found), round % 5);
        for (Index task = 0; task < round % 5; ++task) {
          EXPECT_EQ(found[static_cast<std::size_t>(task)], result_of(round * 10 + task));
        }
      }
    });
  }
}

// Work that would go on for ever, unless it is told to stop.
std::string endless(Context& ctx) {
  for (;;) ctx.check_cancelled();
}

TEST(Tasks, AFailureEndsTasksBesideIt) {
  std::atomic<bool> has_begun{false};
  const auto work = [&](Index task, Context& ctx) {
    if (task == 0) {
      has_begun = true;
      return endless(ctx);
    }
    while (!has_begun) ctx.check_cancelled();
    throw std::runtime_error("the disk is full");
  };
  try {
    LocalTeam(1).run([&](Team& team) {
      Context ctx({.threads = 2});
      run_tasks(team, {"test", {1, 1}, {1, 1}}, [&](Index task) { return work(task, ctx); }, ctx);
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
}

// A process for which no message comes, but an error.
class Deaf : public Communicator {
 public:
  explicit Deaf(Communicator& process) : process_(process) {}
  int rank() const override { return process_.rank(); }
  int size() const override { return process_.size(); }
  const std::string& host(int rank) const override { return process_.host(rank); }
  using Communicator::send;
  void send(std::span<const int> to, Topic topic, std::string bytes) override {
    process_.send(to, topic, std::move(bytes));
  }
  std::string receive(int from, Topic topic) override { return process_.receive(from, topic); }
  std::optional<std::pair<int, std::string>> poll(Topic /*topic*/) override { throw std::runtime_error("no memory"); }
  void fail(int status, const std::string& line, Cause cause) override { process_.fail(status, line, cause); }
  int failure() const override { return process_.failure(); }
  double bytes_sent() const override { return process_.bytes_sent(); }

 private:
  Communicator& process_;
};

TEST(Tasks, AFailureToServeOthersEndsTheLeadersOwnTask) {
  try {
    LocalTeam(2).run([&](Team& team) {
      Team deaf(std::make_shared<Deaf>(team.processes()));
      Context ctx({.threads = 1});
      run_tasks(team.leads() ? deaf : team, {"test", {1}}, [&](Index /*task*/) { return endless(ctx); }, ctx);
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no memory");
  }
}

TEST(Tasks, AFailureEndsAllProcesses) {
  for (const int size : {1, 2, 5}) {
    for (const Index at : {0, 150, 299}) {
      EXPECT_THROW(run(size, random_costs(300, 3), {}, at), std::runtime_error) << size << " " << at;
    }
  }
}

TEST(Tasks, FinishedPiecesAreNotDoneAgain) {
  const TemporaryFolder folder;
  const std::vector<double> cost = random_costs(5000, 4);
  EXPECT_THROW(run(3, cost, folder.file("work"), 77), std::runtime_error);
  Index kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("work"))) {
    kept += entry.path().extension() == ".piece" ? 1 : 0;
  }
  EXPECT_GT(kept, 0);
  // A damaged piece is done again.
  const auto pieces = pieces_of(cost);
  std::size_t damaged = pieces.size();
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::string file = folder.file(fmt::format("work/1-test.{:06}.piece", k));
    if (!std::filesystem::exists(file)) continue;
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    damaged = k;
    break;
  }
  ASSERT_LT(damaged, pieces.size());
  const Outcome outcome = run(2, cost, folder.file("work"));
  EXPECT_EQ(outcome.results[0], expected_results(cost.size()));
  Index again = 0;
  for (const Index task : pieces[damaged]) EXPECT_EQ(outcome.done[static_cast<std::size_t>(task)], 1);
  for (const int count : outcome.done) again += count;
  EXPECT_LT(again, std::ssize(cost));
  const Outcome third = run(1, cost, folder.file("work"));
  EXPECT_EQ(third.results[0], expected_results(cost.size()));
  EXPECT_EQ(third.done, std::vector<int>(cost.size(), 0));
}

// To look for leftovers with every piece would take the square of the number of pieces.
TEST(WorkFolder, IsClearedWhenItIsOpened) {
  const TemporaryFolder folder;
  const std::string path = folder.file("work");
  const WorkFolder first(path, false, {}, true);
  const std::string left = folder.write("work/a.000003.piece.tmp.0123456789abcdef", "half of it");
  first.keep("a", 3, "bytes");
  EXPECT_TRUE(std::filesystem::exists(left));
  const WorkFolder again(path, true, {}, true);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(again.find("a", 3), "bytes");
}

TEST(WorkFolder, APieceInThePlaceOfAnotherIsDamaged) {
  const TemporaryFolder folder;
  const WorkFolder own(folder.file("own"), false, {{"data", "17"}}, true);
  const WorkFolder other(folder.file("other"), false, {{"data", "18"}}, true);
  const auto put = [&](const WorkFolder& from, std::string_view file, std::string_view to) {
    std::filesystem::copy_file(fmt::format("{}/{}", from.folder(), file), fmt::format("{}/{}", own.folder(), to),
                               std::filesystem::copy_options::overwrite_existing);
  };
  own.keep("a", 3, "bytes");
  own.keep("a", 4, "more bytes");
  own.keep("b", 3, "bytes");
  other.keep("a", 4, "more bytes");
  put(own, "a.000003.piece", "a.000004.piece");
  EXPECT_EQ(own.find("a", 4), std::nullopt);
  put(own, "a.000003.piece", "b.000003.piece");
  EXPECT_EQ(own.find("b", 3), std::nullopt);
  put(other, "a.000004.piece", "a.000004.piece");
  EXPECT_EQ(own.find("a", 4), std::nullopt);
  EXPECT_EQ(own.find("a", 3), "bytes");
}

TEST(WorkFolder, IsOfOneJob) {
  const TemporaryFolder folder;
  const std::string path = folder.file("work");
  const WorkFolder::Facts facts{{"command", "train"}, {"data", "17"}};
  const WorkFolder first(path, false, facts, true);
  first.keep("a", 3, "bytes");
  EXPECT_EQ(first.find("a", 3), "bytes");
  EXPECT_EQ(first.find("a", 4), std::nullopt);
  EXPECT_EQ(first.find("b", 3), std::nullopt);
  const auto problem = [&](bool resumes, const WorkFolder::Facts& others) {
    try {
      const WorkFolder again(path, resumes, others, true);
      return again.find("a", 3).value_or("nothing");
    } catch (const Error& error) {
      return error.problem();
    }
  };
  EXPECT_EQ(problem(true, facts), "bytes");
  EXPECT_EQ(problem(false, facts), "holds work that was begun");
  EXPECT_EQ(problem(true, {{"command", "train"}, {"data", "18"}}), "the work was begun with another data");
  EXPECT_EQ(problem(true, {{"command", "train"}}), "the work was begun with another data");
  folder.write("other", "mine");
  try {
    const WorkFolder other(folder.path(), true, facts, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "holds something else");
  }
}

}  // namespace
}  // namespace clade
