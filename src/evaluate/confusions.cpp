#include "evaluate/confusions.h"

#include <algorithm>
#include <tuple>

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

// The first of many, in order, found in one pass.
template <class Before>
class FirstOf {
 public:
  FirstOf(Index most, Before before) : most_(static_cast<std::size_t>(most)), before_(before) {}

  void offer(const Confusion& confusion) {
    if (kept_.size() == most_ && (most_ == 0 || !before_(confusion, kept_.back()))) return;
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), confusion, before_), confusion);
    if (kept_.size() > most_) kept_.pop_back();
  }
  std::vector<Confusion> take() { return std::move(kept_); }

 private:
  std::size_t most_;
  Before before_;
  std::vector<Confusion> kept_;
};

// The wrong labels of label sets, joined by pair.
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

Confusions find_confusions(const Outcomes& outcomes, const OutcomeDistances& distances, Index most) {
  FirstOf frequent(most, by_count);
  FirstOf costly(most, by_cost);
  const auto offer = [&](const Confusion& confusion) {
    frequent.offer(confusion);
    costly.offer(confusion);
  };
  if (outcomes.are_pairs()) {
    for (Index o = 0; o < outcomes.size(); ++o) {
      const NodePair pair = outcomes.pairs[static_cast<std::size_t>(o)];
      if (pair.a != pair.b) offer({pair.a, pair.b, outcomes.weight(o), distances.of(o)[0]});
    }
  } else {
    for (const Confusion& confusion : confusions_of_sets(outcomes, distances)) offer(confusion);
  }
  return {frequent.take(), costly.take()};
}

}  // namespace clade
