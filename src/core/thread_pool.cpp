#include "core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>

namespace clade {
namespace {

thread_local bool inside_task = false;

struct InsideTask {
  InsideTask() { inside_task = true; }
  ~InsideTask() { inside_task = false; }
};

}  // namespace

struct ThreadPool::Job {
  Index count = 0;
  const std::function<void(Index)>* task = nullptr;
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};
  int active = 0;  // threads inside, guarded by the pool's mutex

  std::mutex error_mutex;
  Index error_at = 0;
  std::exception_ptr error;

  void drain() {
    const InsideTask guard;
    // A task once taken is always run: if it were dropped because a later task has failed in the meantime, the
    // lowest-numbered failure could be missed.
    while (!failed.load()) {
      const Index i = next.fetch_add(1);
      if (i >= count) return;
      try {
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error || i < error_at) {
          error = std::current_exception();
          error_at = i;
        }
        failed.store(true);
      }
    }
  }
};

ThreadPool::ThreadPool(int threads) {
  // The number of threads changes no result, so it is not an error if the system refuses some.
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(Index count, const std::function<void(Index)>& task) {
  if (count <= 0) return;
  if (inside_task || workers_.empty() || count == 1) {
    for (Index i = 0; i < count; ++i) task(i);
    return;
  }
  Job job;
  job.count = count;
  job.task = &task;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    ++generation_;
  }
  wake_.notify_all();
  job.drain();
  {
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // no thread enters any more; wait for those inside
    idle_.wait(lock, [&] { return job.active == 0; });
  }
  if (job.error) std::rethrow_exception(job.error);
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || (job_ != nullptr && generation_ != seen); });
    if (stop_) return;
    seen = generation_;
    Job* job = job_;
    ++job->active;
    lock.unlock();
    job->drain();
    lock.lock();
    if (--job->active == 0) idle_.notify_all();
  }
}

}  // namespace clade
