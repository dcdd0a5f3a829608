#include "core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/loop_record.h"

namespace clade {

struct ThreadPool::Job {
  const ThreadPool* pool = nullptr;
  const Job* parent = nullptr;  // in one of whose tasks the call was made
  Index count = 0;
  const std::function<void(Index)>* task = nullptr;
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};
  int helpers = 0;  // threads inside besides the caller's, guarded by the pool's mutex

  std::mutex error_mutex;
  Index error_at = 0;
  std::exception_ptr error;

  bool is_open() const { return !failed.load() && next.load() < count; }
  bool is_below(const Job* above) const {
    const Job* job = this;
    while (job != nullptr && job != above) job = job->parent;
    return job != nullptr;
  }
  void drain();
};

namespace {

// Whose task the thread is running.
thread_local const void* current_job = nullptr;

class InsideJob {
 public:
  explicit InsideJob(const void* job) : before_(current_job) { current_job = job; }
  ~InsideJob() { current_job = before_; }
  InsideJob(const InsideJob&) = delete;
  InsideJob& operator=(const InsideJob&) = delete;

 private:
  const void* before_;
};

std::chrono::steady_clock::time_point now() {
  return std::chrono::steady_clock::now();
}

void pause_briefly() {
#ifdef __x86_64__
  for (int k = 0; k < 16; ++k) _mm_pause();
#endif
}

}  // namespace

void ThreadPool::Job::drain() {
  const InsideJob guard(this);
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

ThreadPool::ThreadPool(int threads) : spins_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency()) {
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
    ++changes_;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(Index count, const std::function<void(Index)>& task) {
  const auto* const parent = static_cast<const Job*>(current_job);
  if (count <= 1 || workers_.empty() || (parent != nullptr && parent->pool != this)) {
    const RecordedLoop loop(workers_.empty() ? count : 0, __builtin_return_address(0));
    for (Index i = 0; i < count; ++i) {
      task(i);
      loop.end_task();
    }
    return;
  }
  Job job;
  job.pool = this;
  job.parent = parent;
  job.count = count;
  job.task = &task;
  {
    // While all threads are busy, there is nobody to share with.
    const InsideJob guard(&job);
    Index i = 0;
    for (; i < count && (i == count - 1 || waiting_.load(std::memory_order_relaxed) == 0); ++i) task(i);
    if (i == count) return;
    job.next.store(i);
  }
  share(job);
  if (job.error) std::rethrow_exception(job.error);
}

void ThreadPool::share(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    ++changes_;
  }
  const auto wanted = static_cast<std::size_t>(job.count - 1);
  for (std::size_t k = 0; k < std::min(wanted, workers_.size()); ++k) wake_.notify_one();
  ended_.notify_all();
  job.drain();
  std::unique_lock lock(mutex_);
  while (job.helpers > 0) {
    if (Job* const below = open_job(&job)) {
      help(*below, lock);
    } else {
      wait(lock, ended_, [&] { return job.helpers == 0 || open_job(&job) != nullptr; });
    }
  }
  std::erase(jobs_, &job);
}

// The outermost call that has tasks left; with `above`, among those made inside its tasks. Under the lock.
ThreadPool::Job* ThreadPool::open_job(const Job* above) const {
  for (Job* const job : jobs_) {
    if (job->is_open() && (above == nullptr || job->is_below(above))) return job;
  }
  return nullptr;
}

void ThreadPool::help(Job& job, std::unique_lock<std::mutex>& lock) {
  ++job.helpers;
  lock.unlock();
  job.drain();
  lock.lock();
  if (--job.helpers > 0) return;
  ++changes_;
  ended_.notify_all();
}

// Parallel loops often follow one another closely: a thread that sleeps in between misses most of a short one.
template <class Done>
void ThreadPool::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& woken, const Done& done) {
  constexpr auto kSpinning = std::chrono::microseconds(50);
  ++waiting_;
  for (const auto end = now() + kSpinning; spins_ && !done() && now() < end;) {
    const std::uint64_t seen = changes_.load();
    lock.unlock();
    while (changes_.load() == seen && now() < end) pause_briefly();
    lock.lock();
  }
  woken.wait(lock, done);
  --waiting_;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    wait(lock, wake_, [&] { return stop_ || (job = open_job(nullptr)) != nullptr; });
    if (stop_) return;
    help(*job, lock);
  }
}

}  // namespace clade
