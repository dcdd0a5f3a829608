#include "experiment/sharing_plan.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>

#include "comm/collectives.h"
#include "comm/dealer.h"
#include "select/recursive/memory_plan.h"
#include "select/recursive/problem.h"
#include "select/recursive/shared_nodes.h"
#include "select/selector.h"

namespace clade {
namespace {

int iterations_of(const SelectOptions& options) {
  const std::unique_ptr<Selector> selector = selector_table().make(options.method, options.parameters);
  const ParameterTable table = selector->parameters();
  int iterations = 1;
  for (const Parameter& parameter : table.parameters()) {
    if (parameter.name != "iterations") continue;
    const std::string text = parameter.get();
    std::from_chars(text.data(), text.data() + text.size(), iterations);
  }
  return iterations;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

SharedLoad load_of_tasks(const SharedWork::Tasks& tasks, int processes, int threads_of_process) {
  SharedLoad load;
  const auto longest = [&](int count) { return longest_load(tasks.cost, tasks.threads, count, threads_of_process); };
  if (sum(tasks.cost) > 0) load.longest = longest(processes) / longest(1);
  for (int rank = 0; rank < processes; ++rank) {
    const double to_leader = rank == 0 ? 0 : tasks.bytes / processes;
    const int sends = tasks.whom == ResultsFor::kAll ? sends_of_broadcast(rank, processes) : 0;
    load.sent.push_back(to_leader + sends * tasks.bytes);
  }
  return load;
}

NodePlan::NodePlan(const Dataset& data, const SelectOptions& options)
    : data_(with_leaf_labels(data)),
      tables_(node_tables(data_)),
      features_(data.features() + (options.bias ? 1 : 0)),
      cost_(node_costs(data_.taxonomy(), tables_, features_, iterations_of(options))) {}

double NodePlan::cost() const {
  return sum(cost_);
}

SharedLoad NodePlan::load(const SharedWork::Nodes& seen, int processes) const {
  const NodeOwners dealt = owners(0, processes);
  SharedLoad load;
  double longest = 0;
  for (const auto& wave : seen.waves) {
    std::vector<double> own(static_cast<std::size_t>(processes), 0);
    for (const std::size_t i : wave) own[static_cast<std::size_t>(dealt.owner(i))] += cost_[i];
    longest += std::ranges::max(own);
  }
  if (cost() > 0) load.longest = longest / cost();
  // All nodes have weights of one size.
  std::vector<double> own(static_cast<std::size_t>(processes), 0);
  for (std::size_t i = 0; i < cost_.size(); ++i) {
    own[static_cast<std::size_t>(dealt.owner(i))] += seen.bytes / static_cast<double>(cost_.size());
  }
  for (int rank = 0; rank < processes; ++rank) {
    const auto first = own.begin() + rank;
    const double gathered = std::accumulate(first, first + gathered_by(rank, processes), 0.0);
    load.sent.push_back(gathered + sends_of_broadcast(rank, processes) * seen.bytes);
  }
  add_matrices(dealt, load.sent);
  return load;
}

void NodePlan::add_matrices(const NodeOwners& owners, std::vector<double>& sent) const {
  if (!data_.taxonomy().is_tree() || has_several_labels(data_)) return;
  std::vector<std::size_t> number(static_cast<std::size_t>(data_.taxonomy().size()), 0);
  for (std::size_t i = 0; i < tables_.size(); ++i) number[static_cast<std::size_t>(tables_[i].node)] = i;
  const auto p = static_cast<double>(features_);
  const double triangle = p * (p + 1) / 2 * sizeof(double) + p * sizeof(std::uint64_t);  // each column with its length
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (!is_cheaper_by_features(tables_[i].samples(), features_)) continue;
    for (const NodeId parent : data_.taxonomy().parents(tables_[i].node)) {
      const int other = owners.owner(number[static_cast<std::size_t>(parent)]);
      if (other != owners.owner(i)) sent[static_cast<std::size_t>(owners.owner(i))] += triangle;
    }
  }
}

double NodePlan::memory(int processes, int threads) const {
  double most = 0;
  for (int rank = 0; rank < processes; ++rank) {
    const MemoryNeeds needs{.features = features_,
                            .is_sparse = is_sparse(data_.matrix()),
                            .threads = threads,
                            .kept = {},
                            .owners = owners(rank, processes)};
    most = std::max(most, plan_memory(tables_, needs).total());
  }
  return most;
}

}  // namespace clade
