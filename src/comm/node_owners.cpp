#include "comm/node_owners.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "comm/collectives.h"

namespace clade {

NodeOwners::NodeOwners(Team& team, const std::vector<double>& cost) : NodeOwners(team.rank(), team.size(), cost) {
  team_ = &team;
  if (team.record() != nullptr) team.record()->nodes.push_back({.cost = cost});
}

NodeOwners::NodeOwners(int rank, int processes, const std::vector<double>& cost) : rank_(rank), owner_(cost.size()) {
  std::vector<std::size_t> order(cost.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) { return cost[a] != cost[b] ? cost[a] > cost[b] : a < b; });
  std::vector<double> load(static_cast<std::size_t>(processes), 0);
  for (const std::size_t i : order) {
    const auto least = std::ranges::min_element(load);
    owner_[i] = static_cast<int>(least - load.begin());
    *least += cost[i];
  }
}

void NodeOwners::exchange(const std::vector<std::size_t>& nodes,
                          const std::function<void(std::size_t, ByteWriter&)>& put,
                          const std::function<void(std::size_t, ByteReader&)>& get, ResultsFor whom) const {
  if (team_ == nullptr) return;
  ByteWriter own;
  for (const std::size_t i : nodes) {
    if (is_own(i)) put(i, own);
  }
  std::string bytes = own.take();
  record(nodes, static_cast<double>(bytes.size()));
  const std::vector<std::string> all = whom == ResultsFor::kAll ? all_gather(team_->processes(), std::move(bytes))
                                                                : gather(team_->processes(), 0, std::move(bytes));
  if (all.empty()) return;
  std::vector<ByteReader> readers(all.begin(), all.end());
  for (const std::size_t i : nodes) {
    if (!is_own(i)) get(i, readers[static_cast<std::size_t>(owner_[i])]);
  }
}

// The waves are those of the first exchanges in which every node takes part once.
void NodeOwners::record(const std::vector<std::size_t>& nodes, double bytes) const {
  if (team_->record() == nullptr) return;
  SharedWork::Nodes& work = team_->record()->nodes.back();
  work.bytes += bytes;
  ++work.exchanges;
  std::size_t known = 0;
  for (const auto& wave : work.waves) known += wave.size();
  if (known < work.cost.size()) work.waves.push_back(nodes);
}

}  // namespace clade
