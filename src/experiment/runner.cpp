#include <clade/error.h>
#include <clade/experiment.h>
#include <clade/team.h>
#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "comm/collectives.h"
#include "comm/team.h"
#include "core/byte_string.h"
#include "core/memory_size.h"
#include "core/stopwatch.h"
#include "experiment/cell_dealer.h"
#include "experiment/cell_work.h"
#include "experiment/file_hash.h"
#include "experiment/journal.h"
#include "experiment/prediction_files.h"
#include "experiment/process_memory.h"
#include "experiment/results.h"

namespace clade {
namespace {

// Runs cells on several threads, in order, as far as memory allows.
class CellRunner {
 public:
  // `processes`: that do the same, with other cells of the same experiment.
  CellRunner(const Experiment& experiment, CellSource& source, double memory, int processes, Context& ctx)
      : experiment_(experiment),
        source_(source),
        ctx_(ctx),
        memory_(memory),
        processes_(processes),
        work_(experiment, memory / 4),
        cancel_(std::make_shared<CancelToken>()) {}

  // All cells that are to be run, ascending: here, or by other processes.
  void run(const std::vector<Index>& pending) {
    std::vector<bool> is_pending(experiment_.cells.size(), false);
    for (const Index k : pending) is_pending[static_cast<std::size_t>(k)] = true;
    for (std::size_t k = 0; k < is_pending.size(); ++k) {
      if (!is_pending[k]) work_.forget(experiment_.cells[k]);
    }
    pending_ = &pending;
    const Index share = (std::ssize(pending) + processes_ - 1) / processes_;
    const int workers = static_cast<int>(std::min<Index>(ctx_.threads(), share));
    const int inner = workers == 0 ? 1 : std::max(1, ctx_.threads() / workers);
    running_threads_ = workers + 1;
    is_alone_ = workers == 1;
    std::vector<std::thread> threads;
    threads.emplace_back([this] { guard([this] { source_.serve(*cancel_); }); });
    for (int k = 0; k < workers; ++k) {
      threads.emplace_back([this, inner] { guard([this, inner] { work(inner); }); });
    }
    watch();
    for (std::thread& thread : threads) thread.join();
    if (broken_) std::rethrow_exception(broken_);
    if (ctx_.cancelled()) {
      throw Error(Error::Kind::kCancelled, {}, "stopped before the end, as asked", "`resume` goes on from here");
    }
  }

 private:
  using Kind = std::pair<Index, Index>;  // data set and recipe

  // Hands a request to stop on to the cells and sees to what they have found, until all threads have ended.
  void watch() {
    constexpr auto kLook = std::chrono::milliseconds(50);
    std::unique_lock lock(mutex_);
    for (bool has_ended = false; !has_ended;) {
      has_ended = ended_.wait_for(lock, kLook, [&] { return running_threads_ == 0; });
      if (ctx_.cancelled() || broken_) cancel_->cancel();
      lock.unlock();
      std::exception_ptr failure;
      try {
        source_.attend();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !broken_) broken_ = failure;
    }
  }

  // All that a thread does.
  void guard(const std::function<void()>& task) {
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (failure && !broken_) broken_ = failure;
    --running_threads_;
    ended_.notify_all();
    free_.notify_all();
  }

  void work(int inner) {
    for (Index cell = take(); cell >= 0; cell = take()) work_on(cell, inner);
  }

  // The next cell, when there is memory for it; -1: there is none.
  Index take() {
    const std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    const auto stops = [&] { return cancel_->cancelled() || broken_ != nullptr; };
    if (stops()) return -1;
    lock.unlock();
    const Index number = source_.next();
    pass_over(number);
    if (number < 0) return -1;
    const ExperimentCell& cell = experiment_.cells[static_cast<std::size_t>(number)];
    lock.lock();
    free_.wait(lock, [&] {
      if (stops() || running_cells_ == 0) return true;
      const auto known = growth_.find({cell.data, cell.recipe});
      return resident_bytes() + (known == growth_.end() ? 0 : known->second) <= memory_;
    });
    if (stops()) return -1;
    ++running_cells_;
    return number;
  }

  // What comes before a cell and was not given to this process is run by others, and needs no data here.
  void pass_over(Index number) {
    while (passed_ < pending_->size()) {
      const Index other = (*pending_)[passed_];
      if (other == number) {
        ++passed_;
        return;
      }
      work_.forget(experiment_.cells[static_cast<std::size_t>(other)]);
      ++passed_;
    }
  }

  void work_on(Index number, int inner) {
    const ExperimentCell& cell = experiment_.cells[static_cast<std::size_t>(number)];
    const LogSink notes = [this](LogLevel level, std::string_view text) { source_.note(level, text); };
    // Nothing of the team: what a cell does is the work of one process.
    Context ctx({.threads = inner, .seed = work_.seed_of(cell), .log = notes, .cancel = cancel_});
    const double before = is_alone_ ? 0 : resident_bytes();  // a cell that is alone waits for no memory
    const PeakMemory::Piece piece = peak_.begin();
    CellResult result;
    const auto start = std::chrono::steady_clock::now();
    try {
      result = work_.run(cell, ctx);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        peak_.end(piece);
        return leave({cell.data, cell.recipe}, 0);
      }
      result.error = error.what();
    } catch (const std::bad_alloc&) {
      result.error = "out of memory";
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    if (!result.error.empty()) result.seconds = seconds_since(start);
    result.memory = peak_.end(piece);
    const double growth = std::max(0.0, result.memory - before);
    source_.hand_in(number, std::move(result));
    work_.forget(cell);
    leave({cell.data, cell.recipe}, growth);
  }

  void leave(const Kind& kind, double growth) {
    const std::lock_guard lock(mutex_);
    growth_[kind] = std::max(growth_[kind], growth);
    --running_cells_;
    free_.notify_all();
  }

  const Experiment& experiment_;
  CellSource& source_;
  Context& ctx_;
  double memory_;
  int processes_;
  CellWork work_;
  std::shared_ptr<CancelToken> cancel_;
  PeakMemory peak_;
  const std::vector<Index>* pending_ = nullptr;

  std::mutex turn_;         // of the workers, to take a cell: they begin in order
  std::size_t passed_ = 0;  // pending cells that were taken here, or by others

  std::mutex mutex_;
  std::condition_variable free_;
  std::condition_variable ended_;
  int running_threads_ = 0;
  bool is_alone_ = false;  // one cell at a time
  int running_cells_ = 0;
  std::map<Kind, double> growth_;  // of memory by one cell
  std::exception_ptr broken_;
};

// What must be the same for a run to go on.
Journal::Facts facts_of(const Experiment& experiment, Context& ctx) {
  Journal::Facts facts{{"the version of Clade", CLADE_VERSION}};
  for (const auto& [name, text] : experiment.parts) facts.emplace_back(name, text);
  for (const auto& [file, hash] : input_hashes(experiment, ctx)) facts.emplace_back("file " + file, hash);
  return facts;
}

void require_unchanged(const Journal::Facts& before, const Journal::Facts& now, const std::string& folder) {
  const auto refuse = [&](const std::string& what) {
    throw input_error({.file = folder}, fmt::format("{} since the run began", what),
                      "expected the same experiment and data, or another folder");
  };
  for (const auto& [name, value] : now) {
    const auto found = std::ranges::find(before, name, [](const auto& fact) { return fact.first; });
    if (found == before.end()) refuse(name + " was added");
    if (found->second != value) refuse(name + " changed");
  }
  for (const auto& [name, value] : before) {
    if (std::ranges::find(now, name, [](const auto& fact) { return fact.first; }) == now.end()) {
      refuse(name + " was removed");
    }
  }
  if (before != now) refuse("the order of data sets, taxonomies or recipes changed");
}

void prepare_folder(const std::string& folder, bool resumes) {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    throw input_error({.file = folder}, "is no folder", "expected a folder for the results");
  }
  fs::create_directories(folder, failure);
  if (failure) throw system_error(folder, "cannot make the folder", failure.value());
  if (!resumes && !fs::is_empty(folder)) {
    throw input_error({.file = folder}, "is not empty", "expected an empty folder, or `resume` to go on with a run");
  }
}

// All processes run the same experiment on the same data.
void require_same_facts(Team& team, const Journal::Facts& facts) {
  std::string names;
  for (const auto& [name, value] : facts) names += (names.empty() ? "" : ", ") + name;
  require_same(team, "what the experiment consists of", names);
  for (const auto& [name, value] : facts) require_same(team, name, value);
}

// What the leader's journal and folder still lack.
std::vector<Index> find_pending(const Experiment& experiment, const PredictionFiles& predictions, Journal& journal,
                                std::vector<CellResult>& results, Context& ctx) {
  std::vector<Index> pending;
  const std::map<Index, std::string> kept = journal.results();
  for (Index k = 0; k < std::ssize(experiment.cells); ++k) {
    const auto found = kept.find(k);
    if (found != kept.end()) results[static_cast<std::size_t>(k)] = parse_cell_result(found->second);
    const CellResult& result = results[static_cast<std::size_t>(k)];
    // What failed for want of memory or of a file may do now, and a machine that stopped may have lost a file.
    const bool is_done = found != kept.end() && result.error.empty() &&
                         (result.predictions_hash.empty() || predictions.has(k, result.predictions_hash, ctx));
    if (!is_done) pending.push_back(k);
  }
  return pending;
}

std::string packed(const ExperimentOutcome& outcome) {
  ByteWriter bytes;
  bytes.put(outcome.cells).put(outcome.resumed).put(outcome.seconds).put(outcome.cell_seconds);
  bytes.put(outcome.table_seconds).put(outcome.table).put(std::uint64_t{outcome.failed.size()});
  for (const FailedCell& cell : outcome.failed) bytes.put(cell.cell).put(cell.error);
  return bytes.take();
}

ExperimentOutcome unpacked(const std::string& text) {
  ExperimentOutcome outcome;
  ByteReader bytes(text);
  bytes.get(outcome.cells).get(outcome.resumed).get(outcome.seconds).get(outcome.cell_seconds);
  bytes.get(outcome.table_seconds).get(outcome.table);
  outcome.failed.resize(bytes.get<std::uint64_t>());
  for (FailedCell& cell : outcome.failed) bytes.get(cell.cell).get(cell.error);
  return outcome;
}

// One run of an experiment, by this process and those of its team, if it has any.
class ExperimentRun {
 public:
  ExperimentRun(const Experiment& experiment, const std::string& folder, const ExperimentOptions& options, Context& ctx)
      : experiment_(experiment),
        folder_(folder),
        options_(options),
        ctx_(ctx),
        team_(team_of(ctx)),
        memory_(options.memory.empty() ? default_memory_limit() : parse_bytes(options.memory)) {}

  // Prepares the folder, keeps what is found, and writes the tables.
  ExperimentOutcome lead() {
    const auto start = std::chrono::steady_clock::now();
    prepare_folder(folder_, options_.resume);
    const Journal::Facts facts = shared_facts();
    Journal journal((std::filesystem::path(folder_) / "journal.sqlite").string());
    const Journal::Facts before = journal.facts();
    if (before.empty()) {
      journal.begin(facts);
    } else {
      require_unchanged(before, facts, folder_);
    }
    const PredictionFiles predictions(experiment_, folder_);
    std::vector<CellResult> results(experiment_.cells.size());
    const std::vector<Index> pending = find_pending(experiment_, predictions, journal, results, ctx_);
    for_all(ByteWriter().put(pending).take());
    {
      CellDealer dealer(pending, predictions, journal, results, ctx_);
      run_cells(dealer, pending);
    }
    ExperimentOutcome outcome;
    outcome.cells = std::ssize(experiment_.cells);
    outcome.resumed = outcome.cells - std::ssize(pending);
    for (const Index k : pending) outcome.cell_seconds += results[static_cast<std::size_t>(k)].seconds;
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (!results[k].error.empty()) {
        outcome.failed.push_back({experiment_.cell_name(experiment_.cells[k]), results[k].error});
      }
    }
    const auto writing = std::chrono::steady_clock::now();
    outcome.table = write_results(experiment_, results, facts, folder_, ctx_);
    outcome.table_seconds = seconds_since(writing);
    outcome.seconds = seconds_since(start);
    for_all(packed(outcome));
    return outcome;
  }

  // Runs cells for the leader.
  ExperimentOutcome follow() {
    shared_facts();
    const auto pending = ByteReader(for_all({})).get<std::vector<Index>>();
    DealtCells dealt(team_->processes());
    run_cells(dealt, pending);
    dealt.end();
    return unpacked(for_all({}));
  }

  bool leads() const { return team_ == nullptr || team_->leads(); }

 private:
  Journal::Facts shared_facts() {
    Journal::Facts facts = facts_of(experiment_, ctx_);
    if (team_ != nullptr) require_same_facts(*team_, facts);
    return facts;
  }

  // What the leader says.
  std::string for_all(std::string bytes) {
    if (team_ != nullptr) broadcast(team_->processes(), 0, bytes);
    return bytes;
  }

  void run_cells(CellSource& source, const std::vector<Index>& pending) {
    CellRunner(experiment_, source, memory_, team_ == nullptr ? 1 : team_->size(), ctx_).run(pending);
  }

  const Experiment& experiment_;
  const std::string& folder_;
  const ExperimentOptions& options_;
  Context& ctx_;
  Team* team_;
  double memory_;
};

}  // namespace

ExperimentOutcome run_experiment(const Experiment& experiment, const std::string& folder,
                                 const ExperimentOptions& options, Context& ctx) {
  ExperimentRun run(experiment, folder, options, ctx);
  return run.leads() ? run.lead() : run.follow();
}

}  // namespace clade
