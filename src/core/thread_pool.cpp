#include "core/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/loop_record.h"

namespace clade {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr int kAllThreads = ThreadPool::kAll;

// A call of run() whose tasks several threads may take.
struct Job {
  const void* crew = nullptr;
  const Job* parent = nullptr;  // in one of whose tasks the call was made
  Index count = 0;
  const std::function<void(Index)>* task = nullptr;
  int most_threads = kAllThreads;

  std::mutex error_mutex;
  Index error_at = 0;
  std::exception_ptr error;

  // All threads inside change this one all the time.
  alignas(kCacheLine) std::atomic<Index> next{0};
  std::atomic<bool> failed{false};

  bool is_below(const Job* above) const {
    const Job* job = this;
    while (job != nullptr && job != above) job = job->parent;
    return job != nullptr;
  }
  void drain();
};

// Whose task the thread is running.
thread_local const Job* current_job = nullptr;
// Of a thread among those of its pool; 0: it is not one of them, but a caller.
thread_local Index thread_number = 0;

class InsideJob {
 public:
  explicit InsideJob(const Job* job) : before_(current_job) { current_job = job; }
  ~InsideJob() { current_job = before_; }
  InsideJob(const InsideJob&) = delete;
  InsideJob& operator=(const InsideJob&) = delete;

 private:
  const Job* before_;
};

void Job::drain() {
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

// Where a job lies while threads may join it. Places outlive jobs, so that threads may look at them without a lock.
class alignas(kCacheLine) Place {
 public:
  // False if another caller has the place.
  bool take() {
    std::uint64_t free = 0;
    return state_.compare_exchange_strong(free, kTaken);
  }
  void open(Job& job) {
    job_ = &job;
    most_helpers_.store(static_cast<std::uint64_t>(job.most_threads) - 1, std::memory_order_relaxed);
    state_.fetch_or(kOpen);
  }
  // Nobody joins from now on.
  void close() {
    if (is_open()) state_.fetch_and(~kOpen);
  }
  void give_back() { state_.fetch_and(~kTaken); }

  bool is_open() const { return (state_.load(std::memory_order_relaxed) & kOpen) != 0; }
  bool has_room() const { return is_open() && has_room(state_.load(std::memory_order_relaxed)); }
  bool has_helpers() const { return (state_.load() & kHelpers) != 0; }
  // Of a place that is taken by the calling thread, or has it inside.
  Job& job() const { return *job_; }

  // Adds the calling thread to those inside; it leaves again, whatever the answer: was the place open, with room for
  // one more? A thread must be inside before it may look at the job, because the caller waits until nobody is.
  bool enter() {
    const std::uint64_t before = state_.fetch_add(1);
    return (before & kOpen) != 0 && has_room(before);
  }
  // Was this the last one inside?
  bool leave() { return (state_.fetch_sub(1) & kHelpers) == 1; }

 private:
  static constexpr std::uint64_t kTaken = std::uint64_t{1} << 32U;  // by a caller
  static constexpr std::uint64_t kOpen = std::uint64_t{1} << 33U;   // the job may have tasks left
  static constexpr std::uint64_t kHelpers = kTaken - 1;             // how many threads are inside besides the caller's

  bool has_room(std::uint64_t state) const {
    return (state & kHelpers) < most_helpers_.load(std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> state_{0};
  std::atomic<std::uint64_t> most_helpers_{0};
  Job* job_ = nullptr;
};

void pause_briefly() {
#ifdef __x86_64__
  for (int k = 0; k < 16; ++k) _mm_pause();
#endif
}

}  // namespace

// The threads of a pool, and how they find tasks. Loops of some microseconds are shared, too: that takes no lock while
// nobody sleeps.
class ThreadPool::Crew {
 public:
  explicit Crew(int threads)
      : marks_(std::make_unique<Mark[]>(static_cast<std::size_t>(threads))),
        spins_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency()) {
    // The number of threads changes no result, so it is not an error if the system refuses some.
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {
    }
  }

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stops_.store(true);
      changes_.fetch_add(1);
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t workers() const { return workers_.size(); }
  bool has_waiting() const { return waiting_.load(std::memory_order_relaxed) > 0; }

  // Does the tasks of a job that are left, together with others, and returns when all are done.
  void share(Job& job) {
    Place* const place = free_place();
    if (place == nullptr) return job.drain();
    place->open(job);
    tell_of_tasks(job);
    job.drain();
    place->close();
    wait_for_helpers(*place);
    place->give_back();
  }

 private:
  // What threads look for has changed so many times.
  using Changes = std::uint64_t;

  // What a worker says of itself.
  struct alignas(kCacheLine) Mark {
    std::atomic<bool> is_busy{false};
  };

  Place* free_place() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].take()) continue;
      std::size_t used = used_places_.load();
      while (used <= i && !used_places_.compare_exchange_weak(used, i + 1)) {
      }
      return &places_[i];
    }
    return nullptr;
  }

  // A job that may have tasks left, with this thread inside; with `above`, one that was begun inside its tasks. Places
  // are taken from the first, so outer calls mostly come before inner ones.
  Place* join_open(const Job* above) {
    const std::size_t used = used_places_.load();
    for (std::size_t i = 0; i < used; ++i) {
      if (!places_[i].has_room()) continue;
      if (places_[i].enter() && (above == nullptr || places_[i].job().is_below(above))) return &places_[i];
      leave(places_[i]);
    }
    return nullptr;
  }

  void help(Place& place) {
    place.job().drain();
    place.close();
    leave(place);
  }

  void leave(Place& place) {
    if (!place.leave() || callers_asleep_.load() == 0) return;
    const std::lock_guard lock(mutex_);
    ended_.notify_all();
  }

  // A thread that goes to sleep counts itself and then looks once more whether anything has changed: so either it sees
  // the change, or it is seen here.
  void tell_of_tasks(const Job& job) {
    changes_.fetch_add(1);
    if (workers_asleep_.load() == 0 && callers_asleep_.load() == 0) return;
    const std::lock_guard lock(mutex_);
    const Index asleep = workers_asleep_.load();
    Index wanted = std::min(job.count - 1, asleep);
    // Those that are awake and have nothing to do come first; more would be woken in vain.
    if (job.most_threads != kAll) wanted = std::min(wanted, job.most_threads - 1 - idle(asleep));
    for (Index k = 0; k < wanted; ++k) wake_.notify_one();
    ended_.notify_all();
  }

  // Workers that look out for tasks.
  Index idle(Index asleep) const {
    const std::span marks(marks_.get(), workers_.size());
    return std::ssize(workers_) - asleep -
           std::ranges::count_if(marks, [](const Mark& mark) { return mark.is_busy.load(std::memory_order_relaxed); });
  }

  // Waits for a change since `seen`, or for what done() says, but only for a while: parallel loops often follow one
  // another closely, and a thread that sleeps in between misses most of a short one. False if nothing came.
  template <class Done>
  bool look_out(Changes seen, const Done& done) {
    constexpr auto kInstant = std::chrono::microseconds(2);
    constexpr auto kWhile = std::chrono::microseconds(50);
    const auto has_come = [&] { return changes_.load() != seen || done(); };
    bool comes = has_come();
    if (!spins_) return comes;
    const auto begin = std::chrono::steady_clock::now();
    bool is_waiting = false;
    for (auto passed = begin - begin; !comes && passed < kWhile; passed = std::chrono::steady_clock::now() - begin) {
      // Others offer short tasks to those that wait; who begins the next loop at once does not count.
      if (!is_waiting && passed > kInstant) {
        waiting_.fetch_add(1);
        is_waiting = true;
      }
      pause_briefly();
      comes = has_come();
    }
    if (is_waiting) waiting_.fetch_sub(1);
    return comes;
  }

  template <class Done>
  void sleep(std::condition_variable& woken, std::atomic<int>& asleep, Changes seen, const Done& done) {
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1);
    asleep.fetch_add(1);
    woken.wait(lock, [&] { return changes_.load() != seen || done(); });
    asleep.fetch_sub(1);
    waiting_.fetch_sub(1);
  }

  void wait_for_helpers(Place& place) {
    const auto have_left = [&] { return !place.has_helpers(); };
    for (;;) {
      const Changes seen = changes_.load();
      if (have_left()) return;
      if (Place* const below = join_open(&place.job())) {
        help(*below);
      } else if (!look_out(seen, have_left)) {
        sleep(ended_, callers_asleep_, seen, have_left);
      }
    }
  }

  void work(Index number) {
    thread_number = number;
    const auto never = [] { return false; };
    std::atomic<bool>& is_busy = marks_[static_cast<std::size_t>(number - 1)].is_busy;
    for (;;) {
      const Changes seen = changes_.load();
      if (stops_.load()) return;
      if (Place* const place = join_open(nullptr)) {
        is_busy.store(true, std::memory_order_relaxed);
        help(*place);
        is_busy.store(false, std::memory_order_relaxed);
      } else if (!look_out(seen, never)) {
        sleep(wake_, workers_asleep_, seen, never);
      }
    }
  }

  std::array<Place, 64> places_;             // with more calls at a time, the others are not shared
  std::atomic<std::size_t> used_places_{0};  // those beyond were never taken
  std::unique_ptr<Mark[]> marks_;
  bool spins_ = false;
  std::atomic<bool> stops_{false};
  // Threads that look out for tasks read this all the time.
  alignas(kCacheLine) std::atomic<Changes> changes_{0};
  alignas(kCacheLine) std::atomic<int> waiting_{0};  // threads that have had nothing to do for more than an instant
  alignas(kCacheLine) std::atomic<int> workers_asleep_{0};
  std::atomic<int> callers_asleep_{0};
  std::mutex mutex_;                  // of those that are asleep
  std::condition_variable wake_;      // workers
  std::condition_variable ended_;     // callers that wait for their helpers
  std::vector<std::thread> workers_;  // which use all of the above
};

ThreadPool::ThreadPool(int threads) : crew_(std::make_unique<Crew>(threads)) {}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
  return static_cast<int>(crew_->workers()) + 1;
}

bool ThreadPool::is_inside_task() {
  return current_job != nullptr;
}

Index ThreadPool::number_of_thread() {
  return thread_number;
}

void ThreadPool::run(Index count, const std::function<void(Index)>& task, Tasks tasks, int most_threads) {
  const Job* const parent = current_job;
  const bool is_alone = crew_->workers() == 0;
  if (count <= 1 || is_alone || (parent != nullptr && parent->crew != crew_.get())) {
    // Whether a task is one of several does not depend on the number of threads.
    static const Job in_order;
    const InsideJob guard(parent != nullptr || count <= 1 ? parent : &in_order);
    const RecordedLoop loop(is_alone ? count : 0, __builtin_return_address(0), tasks == Tasks::kLong);
    for (Index i = 0; i < count; ++i) {
      task(i);
      loop.end_task();
    }
    return;
  }
  Job job;
  job.crew = crew_.get();
  job.parent = parent;
  job.count = count;
  job.task = &task;
  job.most_threads = most_threads;
  if (tasks == Tasks::kShort && parent != nullptr) {
    // While all threads are busy, there is nobody to share with.
    const InsideJob guard(&job);
    Index i = 0;
    for (; i < count && (i == count - 1 || !crew_->has_waiting()); ++i) task(i);
    if (i == count) return;
    job.next.store(i);
  }
  crew_->share(job);
  if (job.error) std::rethrow_exception(job.error);
}

void ThreadPool::run_near(Index count, const std::function<void(Index)>& task) {
  if (crew_->workers() == 0 || current_job != nullptr) return run(count, task);
  std::vector<std::atomic<bool>> is_taken(static_cast<std::size_t>(count));
  run(threads(), [&](Index) {
    const Index first = thread_number * count / threads();
    for (Index k = 0; k < count; ++k) {
      const Index i = (first + k) % count;
      std::atomic<bool>& taken = is_taken[static_cast<std::size_t>(i)];
      if (!taken.load(std::memory_order_relaxed) && !taken.exchange(true, std::memory_order_relaxed)) task(i);
    }
  });
}

}  // namespace clade
