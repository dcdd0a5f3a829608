#pragma once

#include <clade/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace clade {

// A fixed set of threads that work through numbered tasks; the caller is one of them.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs task(0) .. task(count - 1), each once, in any order on any thread, and returns when all are done. If tasks
  // throw, tasks not yet begun are skipped, and the exception of the lowest-numbered failed task is rethrown. A call
  // from inside a task runs its tasks in order on the calling thread: no oversubscription, no deadlock.
  void run(Index count, const std::function<void(Index)>& task);

 private:
  struct Job;
  void work();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  Job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  bool stop_ = false;
};

}  // namespace clade
