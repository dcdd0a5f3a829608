#include <clade/error.h>
#include <clade/experiment.h>
#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "core/memory_size.h"
#include "core/progress.h"
#include "core/stopwatch.h"
#include "experiment/cell_work.h"
#include "experiment/file_hash.h"
#include "experiment/journal.h"
#include "experiment/prediction_files.h"
#include "experiment/process_memory.h"
#include "experiment/results.h"

namespace clade {
namespace {

// Collects the notes of the cells for the thread that may log them: one context cannot log from inside another. Each
// is passed on once, from whatever cell it comes.
class CellNotes {
 public:
  explicit CellNotes(Context& ctx) : ctx_(ctx), once_(ctx) {}
  LogSink sink() {
    return [this](LogLevel level, std::string_view message) {
      if (level == LogLevel::kDebug) return;
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(level, message);
    };
  }
  void pass_on() {
    std::vector<std::pair<LogLevel, std::string>> notes;
    {
      const std::lock_guard lock(mutex_);
      notes.swap(waiting_);
    }
    for (const auto& [level, message] : notes) ctx_.log(level, message);
  }

 private:
  Context& ctx_;
  Context::NotesOnce once_;
  std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> waiting_;
};

// Runs cells on several threads, in order, as far as memory allows.
class CellRunner {
 public:
  CellRunner(const Experiment& experiment, const PredictionFiles& predictions, Journal& journal, double memory,
             Context& ctx)
      : experiment_(experiment),
        predictions_(predictions),
        journal_(journal),
        ctx_(ctx),
        memory_(memory),
        work_(experiment, memory / 4),
        notes_(ctx),
        cancel_(std::make_shared<CancelToken>()) {}

  // The cells that are to be run, ascending; `results` has a place for every cell.
  void run(const std::vector<Index>& pending, std::vector<CellResult>& results) {
    std::vector<bool> is_pending(experiment_.cells.size(), false);
    for (const Index k : pending) is_pending[static_cast<std::size_t>(k)] = true;
    for (std::size_t k = 0; k < is_pending.size(); ++k) {
      if (!is_pending[k]) work_.forget(experiment_.cells[k]);
    }
    pending_ = &pending;
    results_ = &results;
    Progress progress(ctx_, "cells", std::ssize(pending));
    const int workers = static_cast<int>(std::min<Index>(ctx_.threads(), std::ssize(pending)));
    const int inner = workers == 0 ? 1 : std::max(1, ctx_.threads() / workers);
    std::vector<std::thread> threads;
    running_workers_ = workers;
    is_alone_ = workers == 1;
    for (int k = 0; k < workers; ++k) threads.emplace_back([this, inner, &progress] { loop(inner, progress); });
    watch();
    for (std::thread& thread : threads) thread.join();
    if (broken_) std::rethrow_exception(broken_);
    if (ctx_.cancelled()) {
      throw Error(Error::Kind::kCancelled, {}, "stopped before the end, as asked", "`resume` goes on from here");
    }
  }

 private:
  using Kind = std::pair<Index, Index>;  // data set and recipe

  // Hands a request to stop on to the cells and keeps what they have found, until all workers have ended. Many small
  // cells are kept together, for each alone would take as long to keep as some take to run.
  void watch() {
    constexpr auto kLook = std::chrono::milliseconds(50);
    constexpr double kUnsaved = 1;  // seconds until the disk has it
    auto saved = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (bool has_ended = false; !has_ended;) {
      has_ended = ended_.wait_for(lock, kLook, [&] { return running_workers_ == 0; });
      if (ctx_.cancelled() || broken_) cancel_->cancel();
      const std::vector<Index> finished = std::exchange(finished_, {});
      lock.unlock();
      notes_.pass_on();
      std::exception_ptr failure;
      try {
        keep(finished);
        if (seconds_since(saved) >= kUnsaved) {
          journal_.save();
          saved = std::chrono::steady_clock::now();
        }
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !broken_) broken_ = failure;
    }
  }

  void keep(const std::vector<Index>& finished) {
    if (finished.empty()) return;
    std::vector<std::pair<Index, std::string>> texts;
    for (const Index k : finished) texts.emplace_back(k, cell_result_text((*results_)[static_cast<std::size_t>(k)]));
    journal_.keep(texts);
  }

  void loop(int inner, Progress& progress) {
    try {
      for (Index cell = take(); cell >= 0; cell = take()) {
        work_on(cell, inner);
        progress.advance();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!broken_) broken_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --running_workers_;
    ended_.notify_all();
    free_.notify_all();
  }

  // The next cell, when there is memory for it; -1: there is none.
  Index take() {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] {
      if (next_ >= pending_->size() || cancel_->cancelled() || broken_ || running_cells_ == 0) return true;
      const ExperimentCell& cell = experiment_.cells[static_cast<std::size_t>((*pending_)[next_])];
      const auto known = growth_.find({cell.data, cell.recipe});
      return resident_bytes() + (known == growth_.end() ? 0 : known->second) <= memory_;
    });
    if (next_ >= pending_->size() || cancel_->cancelled() || broken_) return -1;
    ++running_cells_;
    return (*pending_)[next_++];
  }

  void work_on(Index number, int inner) {
    const ExperimentCell& cell = experiment_.cells[static_cast<std::size_t>(number)];
    Context ctx({.threads = inner, .seed = work_.seed_of(cell), .log = notes_.sink(), .cancel = cancel_});
    const double before = is_alone_ ? 0 : resident_bytes();  // a cell that is alone waits for no memory
    const PeakMemory::Piece piece = peak_.begin();
    CellResult result;
    const auto start = std::chrono::steady_clock::now();
    try {
      result = work_.run(cell, ctx);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        peak_.end(piece);
        return leave({cell.data, cell.recipe}, 0, -1);
      }
      result.error = error.what();
    } catch (const std::bad_alloc&) {
      result.error = "out of memory";
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    if (!result.error.empty()) result.seconds = seconds_since(start);
    result.memory = peak_.end(piece);
    if (!result.predictions.empty()) {
      result.predictions_hash = predictions_.keep(number, std::exchange(result.predictions, {}));
    }
    work_.forget(cell);
    const double growth = std::max(0.0, result.memory - before);
    (*results_)[static_cast<std::size_t>(number)] = std::move(result);
    leave({cell.data, cell.recipe}, growth, number);
  }

  // `finished`: the cell, if it has a result.
  void leave(const Kind& kind, double growth, Index finished) {
    const std::lock_guard lock(mutex_);
    if (finished >= 0) finished_.push_back(finished);
    growth_[kind] = std::max(growth_[kind], growth);
    --running_cells_;
    free_.notify_all();
  }

  const Experiment& experiment_;
  const PredictionFiles& predictions_;
  Journal& journal_;
  Context& ctx_;
  double memory_;
  CellWork work_;
  CellNotes notes_;
  std::shared_ptr<CancelToken> cancel_;
  PeakMemory peak_;
  const std::vector<Index>* pending_ = nullptr;
  std::vector<CellResult>* results_ = nullptr;

  std::mutex mutex_;
  std::condition_variable free_;
  std::condition_variable ended_;
  std::size_t next_ = 0;
  int running_workers_ = 0;
  bool is_alone_ = false;  // one cell at a time
  int running_cells_ = 0;
  std::vector<Index> finished_;    // and not yet kept
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

void require_same(const Journal::Facts& before, const Journal::Facts& now, const std::string& folder) {
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

}  // namespace

ExperimentOutcome run_experiment(const Experiment& experiment, const std::string& folder,
                                 const ExperimentOptions& options, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  const double memory = options.memory.empty() ? default_memory_limit() : parse_bytes(options.memory);
  prepare_folder(folder, options.resume);
  const Journal::Facts facts = facts_of(experiment, ctx);
  Journal journal((std::filesystem::path(folder) / "journal.sqlite").string());
  const Journal::Facts before = journal.facts();
  if (before.empty()) {
    journal.begin(facts);
  } else {
    require_same(before, facts, folder);
  }
  const PredictionFiles predictions(experiment, folder);
  std::vector<CellResult> results(experiment.cells.size());
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
  CellRunner(experiment, predictions, journal, memory, ctx).run(pending, results);

  ExperimentOutcome outcome;
  outcome.cells = std::ssize(experiment.cells);
  outcome.resumed = outcome.cells - std::ssize(pending);
  for (const Index k : pending) outcome.cell_seconds += results[static_cast<std::size_t>(k)].seconds;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!results[k].error.empty()) {
      outcome.failed.push_back({experiment.cell_name(experiment.cells[k]), results[k].error});
    }
  }
  const auto writing = std::chrono::steady_clock::now();
  outcome.table = write_results(experiment, results, facts, folder, ctx);
  outcome.table_seconds = seconds_since(writing);
  outcome.seconds = seconds_since(start);
  return outcome;
}

}  // namespace clade
