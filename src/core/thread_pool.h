#pragma once

#include <clade/types.h>

#include <atomic>
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
  // throw, tasks not yet begun are skipped, and the exception of the lowest-numbered failed task is rethrown.
  //
  // A call from inside a task shares its tasks with the threads that have nothing to do; these take the tasks of outer
  // calls first. A caller that waits for others helps only with calls from inside its own tasks, so it never holds up
  // its own return. From inside a task of another pool, all tasks run in order on the calling thread: no
  // oversubscription.
  void run(Index count, const std::function<void(Index)>& task);

 private:
  struct Job;
  void work();
  void share(Job& job);
  Job* open_job(const Job* above) const;
  void help(Job& job, std::unique_lock<std::mutex>& lock);
  template <class Done>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& woken, const Done& done);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;   // workers: a job is open
  std::condition_variable ended_;  // callers: helpers have left, or a job is open
  std::vector<Job*> jobs_;         // shared ones, in the order of their calls
  bool stop_ = false;
  bool spins_ = false;
  std::atomic<int> waiting_{0};            // threads with nothing to do
  std::atomic<std::uint64_t> changes_{0};  // of what waiting threads look for
};

}  // namespace clade
