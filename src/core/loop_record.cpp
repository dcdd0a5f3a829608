#include "core/loop_record.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>

#include "core/output_file.h"

// Where the linker has put the program: addresses in a record are relative to it. A shared library has none.
extern "C" const char __executable_start __attribute__((weak));  // NOLINT: the linker has given it its name

namespace clade {
namespace {

enum class What : std::uint8_t { kLoop, kTask, kDone };

struct Event {
  std::int64_t time = 0;
  Index count = 0;
  const void* caller = nullptr;
  What what = What::kLoop;
  bool has_long_tasks = false;
};

struct LoopRecord {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::deque<Event> events;

  std::int64_t time() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  }
};

// Of the thread that began it: loops of other threads are not a part of its time.
thread_local std::unique_ptr<LoopRecord> record;

}  // namespace

void record_loops() {
  record = std::make_unique<LoopRecord>();
}

void write_loop_record(const std::string& file) {
  if (!record) return;
  const std::int64_t end = record->time();
  const std::unique_ptr<LoopRecord> ended = std::move(record);
  OutputFile output(file, true);
  std::string text;
  for (const Event& event : ended->events) {
    const auto to = std::back_inserter(text);
    if (event.what == What::kLoop) {
      const auto offset = static_cast<const char*>(event.caller) - &__executable_start;
      fmt::format_to(to, "loop {} {} {} {}\n", event.time, event.count, offset, event.has_long_tasks ? 1 : 0);
    } else {
      fmt::format_to(to, "{} {}\n", event.what == What::kTask ? "task" : "done", event.time);
    }
  }
  fmt::format_to(std::back_inserter(text), "all {}\n", end);
  output.write(text);
  output.commit();
}

RecordedLoop::RecordedLoop(Index count, const void* caller, bool has_long_tasks)
    : is_recorded_(record != nullptr && count > 1) {
  if (is_recorded_) record->events.push_back({record->time(), count, caller, What::kLoop, has_long_tasks});
}

RecordedLoop::~RecordedLoop() {
  if (is_recorded_) record->events.push_back({record->time(), 0, nullptr, What::kDone});
}

void RecordedLoop::end_task() const {
  if (is_recorded_) record->events.push_back({record->time(), 0, nullptr, What::kTask});
}

}  // namespace clade
