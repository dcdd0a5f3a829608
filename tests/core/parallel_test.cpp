#include "core/parallel.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/random.h"
#include "core/spares.h"

namespace clade {
namespace {

class Parallel : public ::testing::TestWithParam<int> {
 protected:
  Context ctx_{Context::Options{.threads = GetParam()}};
};

TEST_P(Parallel, EveryElementIsVisitedOnce) {
  for (const Index count : {0, 1, 7, 64, 1000}) {
    for (const Index grain : {1, 3, 64, 5000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel_for(ctx_, count, grain, [&](Index begin, Index end) {
        EXPECT_LE(end - begin, grain);
        for (Index k = begin; k < end; ++k) ++visits[static_cast<std::size_t>(k)];
      });
      for (const auto& visit : visits) EXPECT_EQ(visit.load(), 1);
    }
  }
}

TEST_P(Parallel, TasksKnowThatTheyAreSomeOfSeveral) {
  EXPECT_FALSE(ThreadPool::is_inside_task());
  const auto expect = [&](Index count, bool is_inside) {
    ctx_.pool().run(count, [&](Index) { EXPECT_EQ(ThreadPool::is_inside_task(), is_inside) << count; });
  };
  expect(1, false);
  expect(2, true);
  ctx_.pool().run(3, [&](Index) { expect(1, true); });
  EXPECT_FALSE(ThreadPool::is_inside_task());
}

TEST_P(Parallel, NearTasksRunOnceEachTime) {
  for (const Index count : {0, 1, 2, 48}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    for (int repeat = 1; repeat <= 200; ++repeat) {
      ctx_.pool().run_near(count, [&](Index k) { ++visits[static_cast<std::size_t>(k)]; });
      for (const auto& visit : visits) ASSERT_EQ(visit.load(), repeat) << count;
    }
  }
}

TEST_P(Parallel, NearTasksRunInsideOthersAndPassOnExceptions) {
  std::atomic<int> visits{0};
  parallel_for(ctx_, 5, 1, [&](Index, Index) { ctx_.pool().run_near(7, [&](Index) { ++visits; }); });
  EXPECT_EQ(visits.load(), 35);
  EXPECT_THROW(ctx_.pool().run_near(9,
                                    [](Index k) {
                                      if (k == 4) throw std::runtime_error("4");
                                    }),
               std::runtime_error);
}

// Sums of doubles depend on their order; equal bits mean equal order.
TEST_P(Parallel, ReductionsDoNotDependOnTheNumberOfThreads) {
  std::vector<double> values(100'000);
  RandomStream random(3);
  for (double& value : values) value = random.normal() * 1e6;
  const auto sum = [&](Context& ctx) {
    return parallel_reduce(
        ctx, std::ssize(values), 777, 0.0,
        [&](Index begin, Index end) { return std::accumulate(values.begin() + begin, values.begin() + end, 0.0); },
        [](double& total, double part) { total += part; });
  };
  Context one(Context::Options{.threads = 1});
  EXPECT_EQ(sum(ctx_), sum(one));
}

TEST_P(Parallel, TheFirstExceptionReachesTheCaller) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(ctx_, 100, 1, [](Index begin, Index) {
        if (begin >= 10) throw std::runtime_error(std::to_string(begin));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "10");
    }
  }
}

TEST_P(Parallel, ThePoolSurvivesAnException) {
  EXPECT_THROW(parallel_for(ctx_, 10, 1, [](Index, Index) { throw std::logic_error("x"); }), std::logic_error);
  std::atomic<Index> sum{0};
  parallel_for(ctx_, 100, 1, [&](Index begin, Index) { sum += begin; });
  EXPECT_EQ(sum.load(), 4950);
}

TEST_P(Parallel, NestedLoopsFinishAndCoverEverything) {
  std::atomic<Index> sum{0};
  parallel_for(ctx_, 20, 1, [&](Index outer, Index) {
    parallel_for(ctx_, 50, 7, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) sum += outer * 50 + k;
    });
  });
  EXPECT_EQ(sum.load(), 999 * 1000 / 2);
}

// Three levels, of which the inner ones are long in some places only.
TEST_P(Parallel, UnevenNestedLoopsFinishAndCoverEverything) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::atomic<Index> visits{0};
    parallel_for(ctx_, 9, 1, [&](Index outer, Index) {
      parallel_for(ctx_, outer == 8 ? 40 : 2, 1, [&](Index middle, Index) {
        parallel_for(ctx_, middle % 7 == 0 ? 30 : 1, 1, [&](Index, Index) { ++visits; });
      });
    });
    // The outer loop's last element has 6 long ones among 40, the others 1 among 2.
    EXPECT_EQ(visits.load(), 8 * (30 + 1) + 6 * 30 + 34);
  }
}

TEST_P(Parallel, AnExceptionOfANestedLoopReachesTheCaller) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(ctx_, 8, 1, [&](Index outer, Index) {
        parallel_for(ctx_, 16, 1, [&](Index inner, Index) {
          if (outer >= 2 && inner >= 3) throw std::runtime_error(std::to_string(outer) + "." + std::to_string(inner));
        });
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "2.3");
    }
  }
}

// Threads that have nothing to do take part in the loop of a task. Sleeping tasks give them time to come.
TEST_P(Parallel, IdleThreadsHelpInsideATask) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto take_part = [&] {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return std::ssize(threads);
  };
  parallel_for(ctx_, 2, 1, [&](Index outer, Index) {
    if (outer == 0) return;
    parallel_for(ctx_, 5000, 1, [&](Index, Index) {
      if (take_part() < std::min(2, GetParam())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  EXPECT_GE(std::ssize(threads), std::min(2, GetParam()));
}

// A number that depends on every task of loops within loops, whose sizes are drawn. Without a pool they run in order.
std::uint64_t drawn_loops(ThreadPool* pool, int depth, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 5});
  std::vector<std::uint64_t> found(static_cast<std::size_t>(random.below(9)));
  for (std::uint64_t& number : found) number = random.next();
  const auto task = [&](Index i) {
    std::uint64_t& number = found[static_cast<std::size_t>(i)];
    if (number % 64 == 0 && pool != nullptr) std::this_thread::sleep_for(std::chrono::microseconds(number % 300));
    if (depth > 0) number = drawn_loops(pool, depth - 1, number);
  };
  const auto length = random.below(2) == 0 ? ThreadPool::Tasks::kShort : ThreadPool::Tasks::kLong;
  if (pool != nullptr) {
    pool->run(std::ssize(found), task, length);
  } else {
    for (Index i = 0; i < std::ssize(found); ++i) task(i);
  }
  return std::accumulate(found.begin(), found.end(), seed, [](auto sum, auto number) { return 31 * sum + number; });
}

// Threads join and leave while others begin and end loops, and go to sleep in between.
TEST_P(Parallel, SeveralCallersAtATime) {
  const auto call = [&](std::uint64_t caller) {
    for (std::uint64_t k = 0; k < 60; ++k) {
      const std::uint64_t seed = 1000 * caller + k;
      EXPECT_EQ(drawn_loops(&ctx_.pool(), 3, seed), drawn_loops(nullptr, 3, seed));
      if (k % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::atomic<Index> sum{0};
      ctx_.pool().run_near(37, [&](Index i) { sum += i; });
      EXPECT_EQ(sum.load(), 36 * 37 / 2);
    }
  };
  std::thread one([&] { call(1); });
  std::thread another([&] { call(2); });
  call(3);
  one.join();
  another.join();
}

TEST_P(Parallel, NoMoreThreadsTakePartThanAllowed) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> visits{0};
    const auto task = [&](Index) {
      ++visits;
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    };
    const int most = 1 + repeat % 3;
    ctx_.pool().run(40, task, ThreadPool::Tasks::kShort, most);
    EXPECT_EQ(visits.load(), 40);
    EXPECT_LE(std::ssize(threads), most);
  }
}

// Threads that are awake, but busy with other tasks, do not keep those that sleep from being woken.
TEST_P(Parallel, LoopsForSomeThreadsAreHelpedWhileOthersAreBusy) {
  if (GetParam() < 3) return;  // nobody has nothing to do
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // now all others sleep
  const auto inner = [&](Index) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  };
  const auto outer = [&](Index) { ctx_.pool().run(40, inner, ThreadPool::Tasks::kShort, 2); };
  ctx_.pool().run(2, outer, ThreadPool::Tasks::kLong);
  EXPECT_GE(std::ssize(threads), 3);
}

TEST_P(Parallel, SparesAreWithOneTaskAtATime) {
  struct Counter {
    std::atomic<int> users{0};
    Index uses = 0;
  };
  Index uses = 0;
  {
    Spares<Counter> spares(ctx_.pool());
    std::atomic<int> made{0};
    for (int repeat = 0; repeat < 20; ++repeat) {
      ctx_.pool().run(200, [&](Index) {
        auto counter = spares.take();
        if (counter == nullptr) {
          counter = std::make_unique<Counter>();
          ++made;
        }
        EXPECT_EQ(++counter->users, 1);
        ++counter->uses;
        --counter->users;
        spares.give_back(std::move(counter));
      });
    }
    EXPECT_LE(made.load(), GetParam());
    while (const auto counter = spares.take()) uses += counter->uses;
  }
  EXPECT_EQ(uses, 20 * 200);
}

TEST_P(Parallel, InsideATaskOfAnotherContextALoopStaysOnItsThread) {
  Context other(Context::Options{.threads = 4});
  parallel_for(ctx_, 8, 1, [&](Index, Index) {
    const auto self = std::this_thread::get_id();
    if (GetParam() == 1) return;  // that is no task of a pool
    parallel_for(other, 20, 1, [&](Index, Index) { EXPECT_EQ(std::this_thread::get_id(), self); });
  });
}

TEST_P(Parallel, CancellationStopsALoop) {
  const auto token = std::make_shared<CancelToken>();
  Context ctx(Context::Options{.threads = GetParam(), .cancel = token});
  std::atomic<int> chunks{0};
  try {
    parallel_for(ctx, 1'000'000, 1, [&](Index, Index) {
      if (++chunks == 5) token->cancel();
    });
    FAIL() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kCancelled);
  }
  EXPECT_LT(chunks.load(), 100);
}

TEST_P(Parallel, TimeThatIsUpStopsALoop) {
  Context ctx(Context::Options{.threads = GetParam()});
  const auto now = std::chrono::steady_clock::now();
  const Context::TimeLimit later(ctx, now + std::chrono::hours(1));
  {
    const Context::TimeLimit over(ctx, now);
    EXPECT_THROW(parallel_for(ctx, 10, 1, [](Index, Index) {}), Error);
    const Context::TimeLimit inner(ctx, now + std::chrono::hours(1));  // does not prolong the outer one
    EXPECT_THROW(parallel_for(ctx, 10, 1, [](Index, Index) {}), Error);
  }
  EXPECT_NO_THROW(parallel_for(ctx, 10, 1, [](Index, Index) {}));
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 3, 8));

TEST(Context, NegativeThreadsAreRefused) {
  EXPECT_THROW(Context(Context::Options{.threads = -1}), Error);
}

TEST(Context, ZeroThreadsMeansAtLeastOne) {
  EXPECT_GE(Context().threads(), 1);
}

}  // namespace
}  // namespace clade
