#include "evaluate/confusions.h"

#include <algorithm>
#include <tuple>

#include "core/parallel.h"

namespace clade {
namespace {

bool by_pair(const Confusion& a, const Confusion& b) {
  return std::tie(a.truth, a.predicted) < std::tie(b.truth, b.predicted);
}
bool by_count(const Confusion& a, const Confusion& b) {
  return std::tuple(-a.count, -a.distance, a.truth, a.predicted) <
         std::tuple(-b.count, -b.distance, b.truth, b.predicted);
}
bool by_cost(const Confusion& a, const Confusion& b) {
  return std::tuple(-a.cost(), -a.count, a.truth, a.predicted) < std::tuple(-b.cost(), -b.count, b.truth, b.predicted);
}

constexpr Index kOutcomesPerChunk = 65536;

// Keeps the first `most` of all confusions offered, in order.
void offer(std::vector<Confusion>& kept, const Confusion& confusion, std::size_t most,
           bool (*before)(const Confusion&, const Confusion&)) {
  if (kept.size() == most && (most == 0 || !before(confusion, kept.back()))) return;
  kept.insert(std::upper_bound(kept.begin(), kept.end(), confusion, before), confusion);
  if (kept.size() > most) kept.pop_back();
}

void offer(Confusions& kept, const Confusion& confusion, Index most) {
  offer(kept.most_frequent, confusion, static_cast<std::size_t>(most), by_count);
  offer(kept.most_costly, confusion, static_cast<std::size_t>(most), by_cost);
}

// The wrong labels of label sets, counted by pair.
std::vector<Confusion> confusions_of_sets(const Outcomes& outcomes, const OutcomeDistances& distances) {
  std::vector<Confusion> confusions;
  for (Index o = 0; o < outcomes.size(); ++o) {
    const auto truth = outcomes.truth(o);
    const auto predicted = outcomes.predicted(o);
    const auto distance = distances.of(o);
    for (std::size_t c = 0; c < predicted.size(); ++c) {
      std::size_t nearest = 0;
      for (std::size_t r = 1; r < truth.size(); ++r) {
        if (distance[r * predicted.size() + c] < distance[nearest * predicted.size() + c]) nearest = r;
      }
      const int edges = distance[nearest * predicted.size() + c];
      if (edges > 0) confusions.push_back({truth[nearest], predicted[c], 1, edges});
    }
  }
  std::sort(confusions.begin(), confusions.end(), by_pair);
  std::size_t kept = 0;
  for (const Confusion& confusion : confusions) {
    if (kept > 0 && !by_pair(confusions[kept - 1], confusion)) {
      ++confusions[kept - 1].count;
    } else {
      confusions[kept++] = confusion;
    }
  }
  confusions.resize(kept);
  return confusions;
}

}  // namespace

Confusions find_confusions(const Outcomes& outcomes, const OutcomeDistances& distances, Index most, Context& ctx) {
  Confusions result;
  if (!outcomes.are_pairs()) {
    for (const Confusion& confusion : confusions_of_sets(outcomes, distances)) offer(result, confusion, most);
    return result;
  }
  return parallel_reduce(
      ctx, outcomes.size(), kOutcomesPerChunk, std::move(result),
      [&](Index begin, Index end) {
        Confusions part;
        for (Index o = begin; o < end; ++o) {
          const NodePair pair = outcomes.pairs[static_cast<std::size_t>(o)];
          if (pair.a != pair.b) offer(part, {pair.a, pair.b, outcomes.weight(o), distances.of(o)[0]}, most);
        }
        return part;
      },
      [&](Confusions& total, const Confusions& part) {
        const auto size = static_cast<std::size_t>(most);
        for (const Confusion& confusion : part.most_frequent) offer(total.most_frequent, confusion, size, by_count);
        for (const Confusion& confusion : part.most_costly) offer(total.most_costly, confusion, size, by_cost);
      });
}

}  // namespace clade
