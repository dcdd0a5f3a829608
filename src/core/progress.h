#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <atomic>
#include <chrono>
#include <string>

namespace clade {

// Reports the progress of a task to the context's sink, from any thread, at most a few times per second. Costs an
// atomic addition if there is nothing to report.
class Progress {
 public:
  Progress(const Context& ctx, std::string task, Index total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(Index amount = 1);

 private:
  void report(Index done);

  const Context& ctx_;
  std::string task_;
  Index total_;
  std::atomic<Index> done_{0};
  std::atomic<std::int64_t> next_report_ns_{0};
};

}  // namespace clade
