#pragma once

#include <clade/types.h>

#include <functional>
#include <limits>
#include <memory>

namespace clade {

// A fixed set of threads that work through numbered tasks; the caller is one of them.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Is the calling thread running one of several tasks of any pool? The same for any number of threads.
  static bool is_inside_task();
  // Of the calling thread among those of its pool; callers, and threads of other pools, may have the same.
  static Index number_of_thread();

  int threads() const;

  // Threads that are busy now may have nothing to do long before a task of milliseconds is done: long tasks are offered
  // to them at once, which short ones would not be worth.
  enum class Tasks { kShort, kLong };
  static constexpr int kAll = std::numeric_limits<int>::max();

  // Runs task(0) .. task(count - 1), each once, in any order on any thread, and returns when all are done. If tasks
  // throw, tasks not yet begun are skipped, and the exception of the lowest-numbered failed task is rethrown.
  //
  // A call from inside a task shares its tasks with the threads that have nothing to do; these mostly take the tasks of
  // outer calls first. A caller that waits for others helps only with calls from inside its own tasks, so it never
  // holds up its own return. From inside a task of another pool, all tasks run in order on the calling thread: no
  // oversubscription.
  //
  // At most `most_threads` take part: more would be in the way of a task that all wait for.
  void run(Index count, const std::function<void(Index)>& task, Tasks tasks = Tasks::kShort, int most_threads = kAll);

  // The same for loops that are called again and again, whose tasks change the same numbers each time: every thread
  // begins with the tasks that it had the time before, whose numbers are in its cache, and then takes those of others.
  // Tasks may begin after one has failed, and which exception is rethrown is not certain.
  void run_near(Index count, const std::function<void(Index)>& task);

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace clade
