#include "core/progress.h"

#include <exception>

namespace clade {
namespace {

constexpr std::int64_t kReportIntervalNs = 100'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Progress::Progress(const Context& ctx, std::string task, Index total)
    : sink_(ctx.progress()), task_(std::move(task)), total_(total) {
  if (sink_ != nullptr) report(0);
}

Progress::~Progress() {
  // Work that was cut short by an exception has not ended: its last state stays as it was.
  if (sink_ != nullptr && std::uncaught_exceptions() == 0) report(total_);
}

void Progress::advance(Index amount) {
  const Index done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
  if (sink_ == nullptr || now_ns() < next_report_ns_.load(std::memory_order_relaxed)) return;
  report(done);
}

void Progress::report(Index done) {
  const std::lock_guard lock(mutex_);
  next_report_ns_.store(now_ns() + kReportIntervalNs, std::memory_order_relaxed);
  sink_->update(task_, done, total_);
}

}  // namespace clade
