#include <clade/split.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/random.h"

namespace clade {
namespace {

std::vector<Index> shuffled(Index count, RandomStream& random) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  random.shuffle(std::span(order));
  return order;
}

// Deals samples into parts of given shares so that every label gets its share of each part: the rarest label with
// samples left is dealt first, each of its samples to the part that lacks the label most, then to the one that lacks
// samples most, then at random. O(labels of all samples * (parts + log labels)).
class IterativeStratification {
 public:
  IterativeStratification(const Dataset& data, std::vector<double> shares, RandomStream& random)
      : data_(data), shares_(std::move(shares)), random_(random) {}

  std::vector<int> deal() {
    const Index samples = data_.samples();
    part_.assign(static_cast<std::size_t>(samples), -1);
    wanted_samples_.resize(shares_.size());
    for (std::size_t p = 0; p < shares_.size(); ++p) wanted_samples_[p] = shares_[p] * static_cast<double>(samples);
    list_samples_of_labels();
    for (NodeId label = rarest_label(); label != kNoNode; label = rarest_label()) deal_label(label);
    for (const Index s : order_) {
      if (part_[static_cast<std::size_t>(s)] < 0) place(s, neediest(wanted_samples_));
    }
    return std::move(part_);
  }

 private:
  void list_samples_of_labels() {
    order_ = shuffled(data_.samples(), random_);
    for (const Index s : order_) {
      for (const NodeId label : data_.labels(s)) samples_of_[label].push_back(s);
    }
    for (const auto& [label, samples] : samples_of_) {
      left_[label] = std::ssize(samples);
      by_rarity_.emplace(std::ssize(samples), label);
      auto& wanted = wanted_of_[label];
      for (const double share : shares_) wanted.push_back(share * static_cast<double>(samples.size()));
    }
  }

  NodeId rarest_label() {
    while (!by_rarity_.empty() && by_rarity_.begin()->first == 0) by_rarity_.erase(by_rarity_.begin());
    return by_rarity_.empty() ? kNoNode : by_rarity_.begin()->second;
  }

  void deal_label(NodeId label) {
    for (const Index s : samples_of_[label]) {
      if (part_[static_cast<std::size_t>(s)] < 0) place(s, neediest(wanted_of_[label]));
    }
  }

  int neediest(const std::vector<double>& wanted) {
    constexpr double kTie = 1e-9;
    std::vector<int> best;
    for (int p = 0; p < static_cast<int>(wanted.size()); ++p) {
      const auto at = static_cast<std::size_t>(p);
      if (!best.empty()) {
        const auto first = static_cast<std::size_t>(best[0]);
        const double more = wanted[at] - wanted[first];
        const double more_samples = wanted_samples_[at] - wanted_samples_[first];
        if (more < -kTie || (more <= kTie && more_samples < -kTie)) continue;
        if (more > kTie || more_samples > kTie) best.clear();
      }
      best.push_back(p);
    }
    return best[static_cast<std::size_t>(random_.below(std::ssize(best)))];
  }

  void place(Index sample, int part) {
    part_[static_cast<std::size_t>(sample)] = part;
    wanted_samples_[static_cast<std::size_t>(part)] -= 1;
    for (const NodeId label : data_.labels(sample)) {
      wanted_of_[label][static_cast<std::size_t>(part)] -= 1;
      by_rarity_.erase({left_[label], label});
      by_rarity_.emplace(--left_[label], label);
    }
  }

  const Dataset& data_;
  std::vector<double> shares_;
  RandomStream& random_;
  std::vector<Index> order_;
  std::vector<int> part_;
  std::vector<double> wanted_samples_;
  std::map<NodeId, std::vector<Index>> samples_of_;
  std::map<NodeId, std::vector<double>> wanted_of_;
  std::map<NodeId, Index> left_;
  std::set<std::pair<Index, NodeId>> by_rarity_;
};

void check_folds(Index available, int folds, const char* what) {
  if (folds < 2 || folds > available) {
    throw usage_error(fmt::format("{} folds of {} {}", folds, available, what),
                      fmt::format("expected 2 to {} folds", available));
  }
}

void check_share(double test_share) {
  if (test_share > 0 && test_share < 1) return;
  throw usage_error(fmt::format("test share {}", test_share), "expected a number between 0 and 1");
}

}  // namespace

std::vector<int> stratified_folds(const Dataset& data, int folds, std::uint64_t seed) {
  check_folds(data.samples(), folds, "samples");
  RandomStream random(seed, {kFoldStream});
  return IterativeStratification(data, std::vector<double>(static_cast<std::size_t>(folds), 1.0 / folds), random)
      .deal();
}

std::vector<int> grouped_folds(std::span<const Index> group_of_sample, int folds, std::uint64_t seed) {
  std::map<Index, Index> size_of;
  for (const Index group : group_of_sample) ++size_of[group];
  check_folds(std::ssize(size_of), folds, "groups");
  std::vector<std::pair<Index, Index>> groups(size_of.begin(), size_of.end());
  RandomStream random(seed, {kFoldStream});
  random.shuffle(std::span(groups));
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(-groups[k].second, k); });
  std::vector<Index> filled(static_cast<std::size_t>(folds), 0);
  std::map<Index, int> fold_of;
  for (const std::size_t k : order) {
    const auto& [group, size] = groups[k];
    const auto smallest = std::ranges::min_element(filled) - filled.begin();
    filled[static_cast<std::size_t>(smallest)] += size;
    fold_of[group] = static_cast<int>(smallest);
  }
  std::vector<int> folds_of_samples;
  folds_of_samples.reserve(group_of_sample.size());
  for (const Index group : group_of_sample) folds_of_samples.push_back(fold_of[group]);
  return folds_of_samples;
}

Split fold_split(std::span<const int> fold_of_sample, int fold) {
  Split split;
  for (std::size_t s = 0; s < fold_of_sample.size(); ++s) {
    (fold_of_sample[s] == fold ? split.test : split.train).push_back(static_cast<Index>(s));
  }
  return split;
}

Split train_test_split(const Dataset& data, double test_share, std::uint64_t seed) {
  check_share(test_share);
  if (data.samples() < 2) throw usage_error("a split of fewer than two samples", "expected at least 2");
  RandomStream random(seed, {kSplitStream});
  const std::vector<int> part = IterativeStratification(data, {1 - test_share, test_share}, random).deal();
  Split split = fold_split(part, 1);
  // With very few samples, rounding can leave a part empty.
  if (split.test.empty()) {
    split.test.push_back(split.train.back());
    split.train.pop_back();
  } else if (split.train.empty()) {
    split.train.push_back(split.test.back());
    split.test.pop_back();
  }
  return split;
}

Split group_split(std::span<const Index> group_of_sample, double test_share, std::uint64_t seed) {
  check_share(test_share);
  std::map<Index, Index> size_of;
  for (const Index group : group_of_sample) ++size_of[group];
  if (size_of.size() < 2) throw usage_error("a split of fewer than two groups", "expected at least 2");
  std::vector<std::pair<Index, Index>> groups(size_of.begin(), size_of.end());
  RandomStream random(seed, {kSplitStream});
  random.shuffle(std::span(groups));
  const double wanted = test_share * static_cast<double>(group_of_sample.size());
  std::set<Index> in_test;
  double filled = 0;
  for (const auto& [group, size] : groups) {
    const double with = filled + static_cast<double>(size);
    if (std::abs(with - wanted) >= std::abs(filled - wanted)) continue;
    in_test.insert(group);
    filled = with;
  }
  // Where every group is larger than the share, the smallest one is the test part.
  const auto size = [](const auto& entry) { return entry.second; };
  if (in_test.empty()) in_test.insert(std::ranges::min_element(groups, {}, size)->first);
  if (in_test.size() == groups.size()) in_test.erase(std::ranges::min_element(groups, {}, size)->first);
  Split split;
  for (std::size_t s = 0; s < group_of_sample.size(); ++s) {
    (in_test.contains(group_of_sample[s]) ? split.test : split.train).push_back(static_cast<Index>(s));
  }
  return split;
}

Split time_split(std::span<const Index> time_of_sample, double test_share) {
  check_share(test_share);
  std::vector<Index> times(time_of_sample.begin(), time_of_sample.end());
  std::ranges::sort(times);
  if (times.empty() || times.front() == times.back()) {
    throw usage_error("a split by time of fewer than two times", "expected at least 2");
  }
  const auto count = static_cast<double>(times.size());
  const auto cut = static_cast<std::size_t>(std::clamp(std::round((1 - test_share) * count), 1.0, count - 1));
  // The first time of the test part; at least one time comes before it.
  Index first = times[cut];
  if (first == times.front()) first = *std::ranges::upper_bound(times, first);
  Split split;
  for (std::size_t s = 0; s < time_of_sample.size(); ++s) {
    (time_of_sample[s] >= first ? split.test : split.train).push_back(static_cast<Index>(s));
  }
  return split;
}

std::vector<Index> subsample_per_class(const Dataset& data, Index per_class, std::uint64_t seed) {
  if (per_class < 1) throw usage_error(fmt::format("{} samples per class", per_class), "expected at least 1");
  RandomStream random(seed, {kSubsampleStream});
  std::map<NodeId, Index> taken;
  std::vector<Index> rows;
  for (const Index s : shuffled(data.samples(), random)) {
    const auto labels = data.labels(s);
    if (labels.empty()) continue;
    const NodeId label = labels[static_cast<std::size_t>(random.below(std::ssize(labels)))];
    if (taken[label] >= per_class) continue;
    ++taken[label];
    rows.push_back(s);
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace clade
