#include "comm/dealer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace clade {

std::vector<std::vector<Index>> pieces_of(const std::vector<double>& cost) {
  constexpr double kPieces = 1024;  // at most twice as many
  std::vector<Index> order(cost.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    const double of_a = cost[static_cast<std::size_t>(a)];
    const double of_b = cost[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  const double enough = std::accumulate(cost.begin(), cost.end(), 0.0) / kPieces;
  std::vector<std::vector<Index>> pieces;
  double inside = 0;
  for (const Index task : order) {
    const double own = cost[static_cast<std::size_t>(task)];
    if (pieces.empty() || inside + own > enough) {
      pieces.emplace_back();
      inside = 0;
    }
    pieces.back().push_back(task);
    inside += own;
  }
  for (auto& piece : pieces) std::ranges::sort(piece);
  return pieces;
}

Dealer::Dealer(const std::vector<std::vector<Index>>& pieces, const std::vector<double>& cost,
               const std::vector<int>& threads, const std::vector<char>& is_done, int processes)
    : processes_(processes) {
  constexpr Index kAnyNumber = 1 << 20;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (is_done[k] != 0) continue;
    Open& piece = open_.emplace_back(static_cast<Index>(k), 0, 0);
    for (const Index task : pieces[k]) {
      const auto at = static_cast<std::size_t>(task);
      piece.cost += cost[at];
      piece.threads += threads.empty() ? kAnyNumber : threads[at];
    }
    left_ += piece.cost;
    threads_left_ += piece.threads;
  }
}

std::vector<Index> Dealer::deal(int threads) {
  const std::lock_guard lock(mutex_);
  std::vector<Index> dealt;
  const double enough = left_ / (4.0 * processes_);
  const Index busy_enough = std::min<Index>(threads, threads_left_ / processes_);
  double inside = 0;
  Index busy = 0;
  while (next_ < open_.size() && (dealt.empty() || busy < busy_enough || inside + open_[next_].cost <= enough)) {
    dealt.push_back(open_[next_].piece);
    inside += open_[next_].cost;
    busy += open_[next_++].threads;
  }
  left_ -= inside;
  threads_left_ -= busy;
  return dealt;
}

double longest_load(const std::vector<double>& cost, const std::vector<int>& threads, int processes,
                    int threads_of_process) {
  const std::vector<std::vector<Index>> pieces = pieces_of(cost);
  const auto all_threads = static_cast<double>(threads_of_process);
  // The tasks of what is dealt at once run side by side, each on no more threads than it can use.
  const auto time_of = [&](const std::vector<Index>& dealt) {
    double sum = 0;
    double longest = 0;
    for (const Index piece : dealt) {
      for (const Index task : pieces[static_cast<std::size_t>(piece)]) {
        const auto at = static_cast<std::size_t>(task);
        const int most = threads.empty() ? threads_of_process : std::min(threads[at], threads_of_process);
        sum += cost[at];
        longest = std::max(longest, cost[at] / most);
      }
    }
    return std::max(sum / all_threads, longest);
  };
  Dealer dealer(pieces, cost, threads, std::vector<char>(pieces.size(), 0), processes);
  std::priority_queue<double, std::vector<double>, std::greater<>> busy_until;  // the first that is idle on top
  for (int process = 0; process < processes; ++process) busy_until.push(0);
  double last = 0;
  for (auto dealt = dealer.deal(threads_of_process); !dealt.empty(); dealt = dealer.deal(threads_of_process)) {
    const double end = busy_until.top() + time_of(dealt);
    busy_until.pop();
    busy_until.push(end);
    last = std::max(last, end);
  }
  return last;
}

}  // namespace clade
