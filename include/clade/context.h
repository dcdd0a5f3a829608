#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace clade {

class Team;
class ThreadPool;

// Who gets what the processes of a team have found together (clade/team.h), where not all of them need it.
enum class ResultsFor { kAll, kLeader };

enum class LogLevel { kDebug, kInfo, kWarning };

// Receives the messages of the library, which itself never prints. Called from one thread at a time.
using LogSink = std::function<void(LogLevel, std::string_view)>;

// Receives the progress of long work. Calls come from one thread at a time, at most a few per second, and once when the
// work ends (`done == total`).
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void update(std::string_view task, std::int64_t done, std::int64_t total) = 0;
};

// May be set from anywhere, even a signal handler; long work checks it between chunks.
class CancelToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

// The settings of a piece of work: threads, seed, where messages and progress go, and whether to stop. There is no
// global state; two contexts in one process do not affect each other. Only one caller may use a context at a time.
class Context {
 public:
  struct Options {
    int threads = 0;  // 0: one per core; the number never changes a result
    std::uint64_t seed = 1;
    LogSink log;                             // empty: messages are dropped
    std::shared_ptr<ProgressSink> progress;  // empty: no progress is reported
    std::shared_ptr<CancelToken> cancel;     // empty: cannot be cancelled
    std::shared_ptr<Team> team;              // with whom the work is shared (clade/team.h); empty: nobody
  };

  Context();
  explicit Context(Options options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int threads() const { return threads_; }
  std::uint64_t seed() const { return options_.seed; }
  ThreadPool& pool() { return *pool_; }
  Team* team() { return options_.team.get(); }

  // While any of these exists, each distinct message is logged only once: for work that is repeated on parts of the
  // same data.
  class NotesOnce {
   public:
    explicit NotesOnce(Context& ctx) : ctx_(ctx) { ++ctx_.notes_once_; }
    ~NotesOnce() {
      if (--ctx_.notes_once_ == 0) ctx_.logged_.clear();
    }
    NotesOnce(const NotesOnce&) = delete;
    NotesOnce& operator=(const NotesOnce&) = delete;

   private:
    Context& ctx_;
  };

  // While one exists, work that is not done by the given time is cancelled.
  class TimeLimit {
   public:
    TimeLimit(Context& ctx, std::chrono::steady_clock::time_point end) : ctx_(ctx), outer_(ctx.end_) {
      ctx_.end_ = outer_ ? std::min(*outer_, end) : end;
    }
    ~TimeLimit() { ctx_.end_ = outer_; }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

   private:
    Context& ctx_;
    std::optional<std::chrono::steady_clock::time_point> outer_;
  };

  // While one exists, work that goes on in several places is cancelled everywhere when it has failed in one of them.
  // Only the outermost of several counts.
  class CommonFate {
   public:
    explicit CommonFate(Context& ctx) : ctx_(ctx), is_outermost_(ctx.fate_ == nullptr) {
      if (is_outermost_) ctx_.fate_ = this;
    }
    ~CommonFate() {
      if (is_outermost_) ctx_.fate_ = nullptr;
    }
    CommonFate(const CommonFate&) = delete;
    CommonFate& operator=(const CommonFate&) = delete;

    // Called where an exception is handled.
    void fail();
    bool has_failed() const noexcept { return has_failed_.load(std::memory_order_acquire); }
    // Rethrows the first failure if there is one.
    void rethrow() const;

   private:
    Context& ctx_;
    bool is_outermost_;
    std::mutex mutex_;
    std::exception_ptr first_;
    std::atomic<bool> has_failed_{false};
  };

  void log(LogLevel level, std::string_view message) const;
  void info(std::string_view message) const { log(LogLevel::kInfo, message); }
  void warn(std::string_view message) const { log(LogLevel::kWarning, message); }

  bool cancelled() const { return options_.cancel && options_.cancel->cancelled(); }
  // Throws Error (kCancelled) if the user asked to stop, time is up, or the work has failed elsewhere.
  void check_cancelled() const;

  ProgressSink* progress() const { return options_.progress.get(); }
  // Tells the sink, of which there must be one; any thread may call it.
  void show_progress(std::string_view task, std::int64_t done, std::int64_t total) const;

 private:
  Options options_;
  int threads_;
  std::unique_ptr<ThreadPool> pool_;
  std::optional<std::chrono::steady_clock::time_point> end_;  // of the innermost TimeLimit
  const CommonFate* fate_ = nullptr;
  mutable std::mutex progress_mutex_;
  int notes_once_ = 0;
  mutable std::set<std::string, std::less<>> logged_;
};

// Tells the allocator to keep freed memory for reuse instead of returning it to the system: matrices of some megabytes
// that come and go in a loop would otherwise cost more in page faults than in arithmetic. Programs call it at their
// start; it has no effect without glibc.
void keep_freed_memory();

// Names the OpenBLAS to load instead of the system's, for programs in which that one also serves somebody else, whose
// threads and kernel are then left alone. Called before any other work; it has no effect in a build without OpenBLAS.
void use_openblas(const std::string& path);

}  // namespace clade
