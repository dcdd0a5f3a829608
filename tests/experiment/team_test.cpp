// Experiments whose cells several processes share have the results of one process.

#include <clade/error.h>
#include <clade/experiment.h>
#include <clade/io.h>
#include <clade/synthetic.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "comm/local_team.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using Files = std::map<std::string, std::string>;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A table without its last three columns, the times and the memory.
std::string without_measurements(const std::string& table) {
  std::istringstream lines(table);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    for (int k = 0; k < 3; ++k) line.resize(line.rfind(','));
    result += line + "\n";
  }
  return result;
}

// Everything in a folder of results that must be the same in every run.
Files results_in(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (!entry.is_regular_file() || name.starts_with("journal")) continue;
    files[name] = name == "results.csv" ? without_measurements(content_of(entry.path())) : content_of(entry.path());
  }
  return files;
}

// A process to which something happens when it sends its n-th message on cells.
class Interrupted : public Communicator {
 public:
  Interrupted(Communicator& process, int after, std::function<void()> what)
      : process_(process), left_(after), what_(std::move(what)) {}
  int rank() const override { return process_.rank(); }
  int size() const override { return process_.size(); }
  const std::string& host(int rank) const override { return process_.host(rank); }
  using Communicator::send;
  void send(std::span<const int> to, Topic topic, std::string bytes) override {
    if (topic != Topic::kCollective && --left_ == 0) what_();
    process_.send(to, topic, std::move(bytes));
  }
  std::string receive(int from, Topic topic) override { return process_.receive(from, topic); }
  std::optional<std::pair<int, std::string>> poll(Topic topic) override { return process_.poll(topic); }
  void fail(int status, const std::string& line, Cause cause) override { process_.fail(status, line, cause); }
  int failure() const override { return process_.failure(); }
  double bytes_sent() const override { return process_.bytes_sent(); }

 private:
  Communicator& process_;
  std::atomic<int> left_;
  std::function<void()> what_;
};

class ExperimentTeam : public ::testing::Test {
 protected:
  ExperimentTeam() {
    Context ctx({.threads = 1});
    for (const char* const name : {"one.arff", "two.arff"}) {
      const SyntheticOptions options{.features = 12, .samples = 150, .single_label = true};
      Context own({.threads = 1, .seed = std::string(name) == "one.arff" ? 1U : 2U});
      write_dataset(synthetic_data(options, own), folder_.file(name), {}, ctx);
    }
    folder_.write("study.toml", R"(
predictions = true
[[data]]
name = "one"
file = "one.arff"
folds = 2
repeats = 4
[[data]]
name = "two"
file = "two.arff"
holdout = 0.3
repeats = 4
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [0.1, 1] }
select = "hier-fisher"
top = [3, 6, "100%"]
[[recipe]]
name = "too many"
classifier = "top-down-svm"
select = "hier-fisher"
top = 500
data = "two"
[[recipe]]
name = "tuned"
classifier = "top-down-svm"
tune = { parameters = { c = [1, 2] } }
)");
    experiment_ = read_experiment(folder_.file("study.toml"));
    alone_ = run_experiment(experiment_, folder_.file("alone"), {}, ctx);
    expected_ = results_in(folder_.file("alone"));
  }

  // One in a team of processes runs the experiment; each has other threads.
  ExperimentOutcome run_in(Team& team, const std::string& folder, const ExperimentOptions& options,
                           const std::shared_ptr<CancelToken>& cancel = nullptr) const {
    Context ctx({.threads = 1 + team.rank() % 2,
                 .cancel = cancel,
                 .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
    return run_experiment(experiment_, folder_.file(folder), options, ctx);
  }

  // The outcomes of all.
  std::vector<ExperimentOutcome> run(int size, const std::string& folder, const ExperimentOptions& options) const {
    std::vector<ExperimentOutcome> outcomes(static_cast<std::size_t>(size));
    LocalTeam(size).run(
        [&](Team& team) { outcomes[static_cast<std::size_t>(team.rank())] = run_in(team, folder, options); });
    return outcomes;
  }

  // Three processes, one of which throws, or is cancelled, when it sends its n-th message. False: they were done
  // before.
  bool interrupted_run(const std::string& folder, int rank, int after, bool throws) const {
    const auto cancel = std::make_shared<CancelToken>();
    const auto happen = [&] {
      if (throws) throw Error(Error::Kind::kSystem, {}, "lost");
      cancel->cancel();
    };
    try {
      LocalTeam(3).run([&](Team& team) {
        if (team.rank() != rank) {
          run_in(team, folder, {});
        } else {
          Team own(std::make_shared<Interrupted>(team.processes(), after, happen));
          run_in(own, folder, {}, cancel);
        }
      });
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), throws ? Error::Kind::kSystem : Error::Kind::kCancelled) << error.what();
      EXPECT_FALSE(std::filesystem::exists(folder_.file(folder + "/results.csv")));
      return true;
    }
    return false;
  }

  TemporaryFolder folder_;
  Experiment experiment_;
  ExperimentOutcome alone_;
  Files expected_;
};

TEST_F(ExperimentTeam, HasTheResultsOfOneProcess) {
  ASSERT_EQ(expected_.count("results.csv"), 1U);
  ASSERT_EQ(alone_.failed.size(), 4U);
  for (const int size : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(size);
    const std::string folder = "team" + std::to_string(size);
    for (const ExperimentOutcome& outcome : run(size, folder, {})) {
      EXPECT_EQ(outcome.cells, alone_.cells);
      EXPECT_EQ(outcome.resumed, 0);
      EXPECT_EQ(outcome.table, alone_.table);
      ASSERT_EQ(outcome.failed.size(), alone_.failed.size());
      for (std::size_t k = 0; k < outcome.failed.size(); ++k) {
        EXPECT_EQ(outcome.failed[k].cell, alone_.failed[k].cell);
        EXPECT_EQ(outcome.failed[k].error, alone_.failed[k].error);
      }
    }
    EXPECT_EQ(results_in(folder_.file(folder)), expected_);
  }
}

TEST_F(ExperimentTeam, GoesOnWithAnotherNumberOfProcesses) {
  const int sizes[] = {3, 1, 7, 2, 4};
  int runs = 0;
  for (const int rank : {0, 1, 2}) {
    for (const int after : {1, 4, 9}) {
      for (const bool throws : {true, false}) {
        SCOPED_TRACE(fmt::format("rank {} {} at message {}", rank, throws ? "throws" : "is cancelled", after));
        const std::string folder = "run" + std::to_string(++runs);
        const bool was_interrupted = interrupted_run(folder, rank, after, throws);
        // Every process asks at least once, so this happens for certain.
        EXPECT_TRUE(was_interrupted || !throws || after > 1);
        const ExperimentOutcome outcome = run(sizes[runs % 5], folder, {.resume = true}).back();
        // Of nine cells that the leader dealt out, at most one is still with each of the three workers of the others.
        EXPECT_TRUE(outcome.resumed > 0 || rank > 0 || after < 9);
        EXPECT_EQ(results_in(folder_.file(folder)), expected_);
        // All but the cells that fail are there now.
        const Index lasting = alone_.cells - std::ssize(alone_.failed);
        EXPECT_EQ(run(2, folder, {.resume = true}).back().resumed, lasting);
      }
    }
  }
}

TEST_F(ExperimentTeam, WithLittleMemoryCellsWait) {
  run(3, "little", {.memory = "1M"});
  EXPECT_EQ(results_in(folder_.file("little")), expected_);
}

TEST_F(ExperimentTeam, RunsTheSameExperimentInAllProcesses) {
  int runs = 0;
  const auto refusal = [&](const std::function<void(Experiment&)>& change) -> std::string {
    const std::string folder = folder_.file("refused" + std::to_string(++runs));
    try {
      LocalTeam(3).run([&](Team& team) {
        Experiment own = experiment_;
        if (team.rank() == 2) change(own);
        Context ctx({.threads = 1, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
        run_experiment(own, folder, {}, ctx);
      });
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      EXPECT_TRUE(std::filesystem::is_empty(folder));
      return error.what();
    }
    return "nothing";
  };
  const auto begins = [](const std::string& text) {
    return ::testing::StartsWith(text + " differs between processes: rank 0 on host0 has '");
  };
  EXPECT_THAT(refusal([](Experiment& e) { e.parts[0].second += "?"; }), begins(experiment_.parts[0].first));
  EXPECT_THAT(refusal([](Experiment& e) { e.parts.pop_back(); }), begins("what the experiment consists of"));
  EXPECT_THAT(refusal([](Experiment& e) { e.data[0].file = e.data[1].file; }),
              begins("what the experiment consists of"));
}

// Notes of cells reach the one process that passes them on, each once.
TEST_F(ExperimentTeam, NotesReachTheLeader) {
  std::mutex mutex;
  std::vector<std::multiset<std::string>> notes(4);
  const auto run_logging = [&](Context::Options options, std::size_t place, const std::string& folder) {
    options.log = [&, place](LogLevel level, std::string_view text) {
      const std::lock_guard lock(mutex);
      if (level != LogLevel::kDebug) notes[place].emplace(text);
    };
    Context ctx(std::move(options));
    run_experiment(experiment_, folder_.file(folder), {}, ctx);
  };
  run_logging({.threads = 1}, 3, "noted");
  LocalTeam(3).run([&](Team& team) {
    run_logging({.threads = 1, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)},
                static_cast<std::size_t>(team.rank()), "noted by a team");
  });
  EXPECT_FALSE(notes[3].empty());
  EXPECT_EQ(notes[0], notes[3]);
  EXPECT_TRUE(notes[1].empty() && notes[2].empty());
}

}  // namespace
}  // namespace clade
