// What the thread pool itself costs, for the model of more threads (loop_record.py): nanoseconds, as one line of JSON.
// Two threads are enough.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/thread_pool.h"

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void work_for(double nanoseconds) {
  const auto start = Clock::now();
  while (since(start) < nanoseconds) {
  }
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Start {
  double helper = 0;  // from the call until the other thread has begun a task
  double caller = 0;  // from the call until the caller has
};

// Loops of two tasks, long enough for both threads to take one, with some time in between.
Start start_of_loop(clade::ThreadPool& pool, double between) {
  constexpr int kLoops = 200;
  constexpr double kTask = 300'000;
  std::vector<double> helper;
  std::vector<double> caller;
  const auto self = std::this_thread::get_id();
  for (int loop = 0; loop < kLoops; ++loop) {
    work_for(between);
    const auto start = Clock::now();
    pool.run(2, [&](clade::Index) {
      (std::this_thread::get_id() == self ? caller : helper).push_back(since(start));
      work_for(kTask);
    });
  }
  return {.helper = helper.empty() ? kTask : median(helper), .caller = median(caller)};
}

// How long a number takes to another thread and back, if both are waiting for it.
double to_and_fro() {
  constexpr int kTimes = 100'000;
  std::atomic<int> number{0};
  std::thread other([&] {
    for (int k = 0; k < kTimes; ++k) {
      while (number.load(std::memory_order_acquire) != 2 * k + 1) {
      }
      number.store(2 * k + 2, std::memory_order_release);
    }
  });
  const auto start = Clock::now();
  for (int k = 0; k < kTimes; ++k) {
    number.store(2 * k + 1, std::memory_order_release);
    while (number.load(std::memory_order_acquire) != 2 * k + 2) {
    }
  }
  const double time = since(start) / kTimes;
  other.join();
  return time;
}

}  // namespace

int main() {
  constexpr double kAwake = 5'000;       // well below what threads look out for work
  constexpr double kAsleep = 1'000'000;  // well above
  clade::ThreadPool pool(2);
  const Start awake = start_of_loop(pool, kAwake);
  const Start asleep = start_of_loop(pool, kAsleep);
  fmt::print("{{\"awake\": {:.0f}, \"asleep\": {:.0f}, \"wake\": {:.0f}, \"to_and_fro\": {:.0f}}}\n", awake.helper,
             asleep.helper, std::max(0.0, asleep.caller - awake.caller), to_and_fro());
}
