#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace clade {

class ThreadPool;

enum class LogLevel { kDebug, kInfo, kWarning };

// Receives what the library has to say; the library itself never prints. Called from one thread at a time.
using LogSink = std::function<void(LogLevel, std::string_view)>;

// Receives how far a long piece of work is. Calls come from one thread at a time, at most a few per second
// and once when the work ends (`done == total`).
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void update(std::string_view task, std::int64_t done, std::int64_t total) = 0;
};

// Set from anywhere, a signal handler included; long work looks at it between chunks.
class CancelToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

// What a piece of work runs with: threads, seed, where messages and progress go, and whether to stop.
// There is no global state; two contexts in one process do not see each other. A context is used by one
// caller at a time.
class Context {
 public:
  struct Options {
    int threads = 0;  // 0: one per core. The number never changes a result.
    std::uint64_t seed = 1;
    LogSink log;                             // empty: messages are dropped
    std::shared_ptr<ProgressSink> progress;  // empty: no progress is reported
    std::shared_ptr<CancelToken> cancel;     // empty: cannot be cancelled
  };

  Context();
  explicit Context(Options options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int threads() const { return threads_; }
  std::uint64_t seed() const { return options_.seed; }
  ThreadPool& pool() { return *pool_; }

  // While one exists, a message that was logged since the first began is not logged again: for work that is repeated on
  // parts of the same data.
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

  void log(LogLevel level, std::string_view message) const;
  void info(std::string_view message) const { log(LogLevel::kInfo, message); }
  void warn(std::string_view message) const { log(LogLevel::kWarning, message); }

  bool cancelled() const { return options_.cancel && options_.cancel->cancelled(); }
  // Throws Error (kCancelled) if the user asked to stop.
  void check_cancelled() const;

  ProgressSink* progress() const { return options_.progress.get(); }

 private:
  Options options_;
  int threads_;
  std::unique_ptr<ThreadPool> pool_;
  int notes_once_ = 0;
  mutable std::set<std::string, std::less<>> logged_;
};

// Tells the allocator to keep freed memory for the next use instead of returning it: matrices of some megabytes that
// come and go in a loop otherwise cost more in page faults than in arithmetic. For programs, at their start; no effect
// where the C library is not glibc.
void keep_freed_memory();

}  // namespace clade
