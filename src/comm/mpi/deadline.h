#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace clade {

// Acts if it still exists after so many seconds: for calls of MPI that may wait for ever. Time in which this process
// itself was stopped does not count.
class Deadline {
 public:
  Deadline(double seconds, std::function<void()> act)
      : thread_([this, seconds, own = std::move(act)] {
          constexpr std::chrono::milliseconds kStep(100);
          std::unique_lock lock(mutex_);
          for (double left = seconds; left > 0; left -= std::chrono::duration<double>(kStep).count()) {
            if (called_off_.wait_for(lock, kStep, [this] { return is_off_; })) return;
          }
          own();
        }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      is_off_ = true;
    }
    called_off_.notify_all();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable called_off_;
  bool is_off_ = false;
  std::thread thread_;
};

}  // namespace clade
