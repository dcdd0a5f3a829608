#include "pipeline/shared_learning.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "core/stopwatch.h"

namespace clade {
namespace {

// Two streams of splitmix64: a collision of 128 bits will not be seen.
class RowsHash {
 public:
  void add(std::uint64_t value) {
    for (std::uint64_t& state : state_) {
      std::uint64_t z = (state += value + 0x9e3779b97f4a7c15ULL);
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
      state = z ^ (z >> 31U);
    }
  }
  std::string text() const { return fmt::format("{:016x}{:016x}", state_[0], state_[1]); }

 private:
  std::uint64_t state_[2] = {1, 2};
};

}  // namespace

std::shared_ptr<SharedLearning::Entry> SharedLearning::entry_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) {
    recent_.push_front(key);
    return places_.emplace(key, Place{std::make_shared<Entry>(), recent_.begin(), 0}).first->second.entry;
  }
  recent_.splice(recent_.begin(), recent_, found->second.recent);
  return found->second.entry;
}

void SharedLearning::charge(const std::string& key, double bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return;
  bytes_ += bytes;
  found->second.bytes = bytes;
  while (bytes_ > most_bytes_ && recent_.size() > 1) {
    const auto oldest = places_.find(recent_.back());
    bytes_ -= oldest->second.bytes;
    places_.erase(oldest);
    recent_.pop_back();
  }
}

std::shared_ptr<const void> SharedLearning::find(const std::string& key, double& spared,
                                                 const std::function<Made()>& make) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<Entry> entry = entry_of(key);
  const std::lock_guard lock(entry->mutex);
  if (entry->made.value) {
    spared += entry->seconds - seconds_since(start);
    return entry->made.value;
  }
  const auto begin = std::chrono::steady_clock::now();
  entry->made = make();
  entry->seconds = seconds_since(begin);
  charge(key, entry->made.bytes);
  return entry->made.value;
}

std::string samples_key(const Dataset& data, std::span<const Index> samples) {
  RowsHash hash;
  hash.add(static_cast<std::uint64_t>(data.samples()));
  if (data.is_view()) {
    for (Index s = 0; s < data.samples(); ++s) hash.add(static_cast<std::uint64_t>(data.source_row(s)));
  }
  for (const Index s : samples) hash.add(static_cast<std::uint64_t>(s));
  return hash.text();
}

double feature_bytes(const Dataset& data) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.indices; }) {
          return static_cast<double>(m.values.size()) * (sizeof(m.values[0]) + sizeof(m.indices[0])) +
                 static_cast<double>(m.rows) * sizeof(Index);
        } else {
          return static_cast<double>(m.rows) * static_cast<double>(m.columns) * sizeof(m.values[0]);
        }
      },
      data.matrix());
}

double ranking_bytes(const FeatureRanking& ranking) {
  double bytes = 0;
  for (const NodeRanking& node : ranking.nodes) {
    bytes += static_cast<double>(node.ranking.size() + node.common.size()) * sizeof(FeatureIndex) +
             static_cast<double>(node.weight.size()) * sizeof(double);
  }
  return bytes;
}

}  // namespace clade
