#include <clade/context.h>
#include <clade/error.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "core/progress.h"
#include "core/thread_pool.h"

namespace clade {
namespace {

// As many as the command line takes; where memory is short, the system may end a program that starts many more.
constexpr int kMostThreads = 1024;

int thread_count(int asked) {
  if (asked < 0) throw usage_error("threads " + std::to_string(asked), "expected 0 (one per core) or more");
  if (asked > 0) return std::min(asked, kMostThreads);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

Context::Context() : Context(Options{}) {}

Context::Context(Options options)
    : options_(std::move(options)),
      threads_(thread_count(options_.threads)),
      pool_(std::make_unique<ThreadPool>(threads_)) {}

Context::~Context() = default;

void Context::log(LogLevel level, std::string_view message) const {
  if (!options_.log) return;
  static std::recursive_mutex mutex;  // a log may pass messages on to another context
  const std::lock_guard lock(mutex);
  if (notes_once_ > 0 && !logged_.emplace(message).second) return;
  options_.log(level, message);
}

void Context::CommonFate::fail() {
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = std::current_exception();
  has_failed_.store(true, std::memory_order_release);
}

void Context::CommonFate::rethrow() const {
  if (has_failed()) std::rethrow_exception(first_);
}

void Context::show_progress(std::string_view task, std::int64_t done, std::int64_t total) const {
  const std::lock_guard lock(progress_mutex_);
  options_.progress->update(task, done, total);
}

void Context::check_cancelled() const {
  if (cancelled()) throw Error(Error::Kind::kCancelled, {}, "stopped before the end, as asked");
  if (fate_ != nullptr && fate_->has_failed()) {
    throw Error(Error::Kind::kCancelled, {}, "stopped before the end, since other parts of the work have failed");
  }
  if (end_ && std::chrono::steady_clock::now() >= *end_) {
    throw Error(Error::Kind::kCancelled, {}, "stopped before the end: no time left");
  }
}

namespace {

constexpr std::int64_t kReportIntervalNs = 100'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Progress::Progress(const Context& ctx, std::string task, Index total)
    : ctx_(ctx), task_(std::move(task)), total_(total) {
  if (ctx_.progress() != nullptr) report(0);
}

Progress::~Progress() {
  // Work cut short by an exception has not ended: the progress shown last stays.
  if (ctx_.progress() != nullptr && std::uncaught_exceptions() == 0) report(total_);
}

void Progress::advance(Index amount) {
  const Index done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
  if (ctx_.progress() == nullptr || now_ns() < next_report_ns_.load(std::memory_order_relaxed)) return;
  report(done);
}

void Progress::report(Index done) {
  next_report_ns_.store(now_ns() + kReportIntervalNs, std::memory_order_relaxed);
  ctx_.show_progress(task_, done, total_);
}

}  // namespace clade
