#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <algorithm>
#include <vector>

#include "core/thread_pool.h"

namespace clade {

// Deterministic loops. Work is cut into chunks whose bounds depend on `count` and `grain` only, never on the number of
// threads, and partial results are combined in chunk order. So every result is the same for 1, 2 or 64 threads.

inline Index chunk_count(Index count, Index grain) {
  return (count + grain - 1) / grain;
}

// Calls body(begin, end) for consecutive ranges of at most `grain` that cover [0, count). Checks for cancellation
// before each chunk. Exceptions reach the caller.
template <class Body>
void parallel_for(Context& ctx, Index count, Index grain, Body&& body,
                  ThreadPool::Tasks tasks = ThreadPool::Tasks::kShort) {
  const auto chunk_of = [&](Index chunk) {
    ctx.check_cancelled();
    body(chunk * grain, std::min(count, (chunk + 1) * grain));
  };
  ctx.pool().run(chunk_count(count, grain), chunk_of, tasks);
}

// The same for chunks of milliseconds.
template <class Body>
void parallel_for_long(Context& ctx, Index count, Index grain, Body&& body) {
  parallel_for(ctx, count, grain, body, ThreadPool::Tasks::kLong);
}

// map(begin, end) gives one partial result per chunk; combine(total, partial) folds them into `total` in chunk order.
template <class T, class Map, class Combine>
T parallel_reduce(Context& ctx, Index count, Index grain, T total, Map&& map, Combine&& combine) {
  std::vector<T> partial(static_cast<std::size_t>(chunk_count(count, grain)), total);
  ctx.pool().run(chunk_count(count, grain), [&](Index chunk) {
    ctx.check_cancelled();
    partial[static_cast<std::size_t>(chunk)] = map(chunk * grain, std::min(count, (chunk + 1) * grain));
  });
  for (auto& part : partial) combine(total, std::move(part));
  return total;
}

}  // namespace clade
