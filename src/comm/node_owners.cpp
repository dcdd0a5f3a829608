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
  // Of a few nodes each, this can leave one process with much more than the others.
  constexpr int kFewNodes = 8;
  if (std::ssize(cost) > kFewNodes * processes) return;
  for (int step = 0; step < 2 * processes && relieve_busiest(cost, load); ++step) {
  }
}

bool NodeOwners::relieve_busiest(const std::vector<double>& cost, std::vector<double>& load) {
  constexpr double kWorthwhile = 1 - 1e-6;
  const auto busiest = static_cast<int>(std::ranges::max_element(load) - load.begin());
  const double most = load[static_cast<std::size_t>(busiest)];
  double best = kWorthwhile * most;
  std::size_t given = cost.size();
  std::size_t taken = cost.size();  // none
  int to = 0;
  const auto try_out = [&](std::size_t mine, int other, std::size_t theirs) {
    const double change = cost[mine] - (theirs < cost.size() ? cost[theirs] : 0);
    const double after = std::max(most - change, load[static_cast<std::size_t>(other)] + change);
    if (after >= best) return;
    best = after;
    given = mine;
    taken = theirs;
    to = other;
  };
  for (std::size_t mine = 0; mine < cost.size(); ++mine) {
    if (owner_[mine] != busiest) continue;
    for (int other = 0; other < static_cast<int>(load.size()); ++other) {
      if (other != busiest) try_out(mine, other, cost.size());
    }
    for (std::size_t theirs = 0; theirs < cost.size(); ++theirs) {
      if (owner_[theirs] != busiest && cost[theirs] < cost[mine]) try_out(mine, owner_[theirs], theirs);
    }
  }
  if (given == cost.size()) return false;
  const double change = cost[given] - (taken < cost.size() ? cost[taken] : 0);
  load[static_cast<std::size_t>(busiest)] -= change;
  load[static_cast<std::size_t>(to)] += change;
  owner_[given] = to;
  if (taken < cost.size()) owner_[taken] = busiest;
  return true;
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
