#include "evaluate/pair_facts.h"

#include <algorithm>
#include <bit>

#include "core/check.h"
#include "core/fetch_ahead.h"

namespace clade {
namespace {

constexpr Index kPrefetchDistance = 6;  // pairs ahead

}  // namespace

PairComparer::PairComparer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
                           bool count_root)
    : outcomes_(outcomes),
      table_(table),
      distances_(distances),
      uncounted_(count_root ? 0 : 1),
      decisions_(table.taxonomy()),
      place_(static_cast<std::size_t>(table.taxonomy().size()), 0),
      covered_(place_.size(), 0) {
  CLADE_CHECK(table.taxonomy().levels() <= kMostLevels);
}

// Predicted labels come in no particular order; without this the walk would wait for memory at every pair.
void PairComparer::prefetch(Index outcome) const {
  if (outcome >= outcomes_.size()) return;
  const auto ancestors = table_.of(outcomes_.pairs[static_cast<std::size_t>(outcome)].b);
  fetch_ahead(ancestors.data());
  fetch_ahead(&ancestors.back());
}

void PairComparer::compare(Index outcome, OutcomeFacts& facts, NodeCounts& counts) {
  const NodePair pair = outcomes_.pairs[static_cast<std::size_t>(outcome)];
  const Index weight = outcomes_.weights[static_cast<std::size_t>(outcome)];
  prefetch(outcome + kPrefetchDistance);
  const auto truth = table_.of(pair.a);
  const auto predicted = table_.of(pair.b);
  NodeScore& true_label = counts.labels[static_cast<std::size_t>(pair.a)];
  NodeScore& predicted_label = counts.labels[static_cast<std::size_t>(pair.b)];
  true_label.support += weight;
  predicted_label.predicted += weight;

  facts = {.outcomes = &outcomes_,
           .outcome = outcome,
           .true_nodes = static_cast<double>(truth.size()),
           .predicted_nodes = static_cast<double>(predicted.size()),
           .uncounted = uncounted_};
  if (pair.a == pair.b) {
    true_label.correct += weight;
    facts.common_nodes = facts.true_nodes;
    const double decisions = facts.true_nodes - (table_.taxonomy().is_leaf(pair.a) ? 1 : 0);
    facts.decisions = {decisions, decisions};
    facts.lca = {1, 1, 1};
    facts.first_is_right = 1;
    facts.first_has_right_parent = 1;
    return;
  }

  if (table_.taxonomy().is_tree()) {
    compare_ways(truth, predicted);
    facts.decisions = {common_count_, common_count_ - 1};  // the last common node is where they part
    const auto shared = static_cast<std::size_t>(common_count_);
    for (std::size_t k = 0; k < shared; ++k) counts.nodes[static_cast<std::size_t>(truth[k].node)].correct += weight;
  } else {
    compare_ancestors(truth, predicted);
    facts.decisions = decisions_.count(truth, predicted, &Ancestor::node);
    for (const CommonNode& node : common_) counts.nodes[static_cast<std::size_t>(node.node)].correct += weight;
  }
  const int true_level = truth.back().level;
  for (std::uint64_t rest = differing_; rest != 0; rest &= rest - 1) {
    const int level = std::countr_zero(rest);
    if (level <= true_level) counts.level_wrong[static_cast<std::size_t>(level)] += weight;
  }

  facts.common_nodes = common_count_;
  facts.missed_volume = facts.true_nodes - common_count_;
  facts.extra_volume = facts.predicted_nodes - common_count_;
  facts.levels = std::max(true_level, predicted.back().level);
  facts.differing_levels = std::popcount(differing_);
  facts.distance = distances_.of(outcome)[0];
  facts.first_loss = (facts.true_nodes + facts.predicted_nodes - 2 * facts.common_nodes) / 2;
  facts.first_has_right_parent = has_common_parent() ? 1 : 0;
  const CommonNode& join = connector();
  facts.lca = {.precision = 1.0 / (join.predicted_steps + 1),
               .recall = 1.0 / (join.true_steps + 1),
               .f1 = 2.0 / (join.predicted_steps + join.true_steps + 2)};
}

// In a tree the ancestors are the path from the root, and the common ones are its beginning.
void PairComparer::compare_ways(std::span<const Ancestor> truth, std::span<const Ancestor> predicted) {
  std::size_t shared = 0;
  const std::size_t shorter = std::min(truth.size(), predicted.size());
  while (shared < shorter && truth[shared].node == predicted[shared].node) ++shared;
  common_count_ = static_cast<double>(shared);
  const Ancestor lowest = truth[shared - 1];
  common_.assign(1, {lowest.node, lowest.steps, predicted[shared - 1].steps});
  differing_ = 0;
  for (std::size_t level = shared; level < std::max(truth.size(), predicted.size()); ++level) {
    differing_ |= std::uint64_t{1} << level;
  }
}

void PairComparer::enter(std::span<const Ancestor> truth) {
  if (!truth_.empty() && truth_.data() == truth.data()) return;
  for (const Ancestor& ancestor : truth_) place_[static_cast<std::size_t>(ancestor.node)] = 0;
  truth_ = truth;
  for (std::size_t k = 0; k < truth.size(); ++k)
    place_[static_cast<std::size_t>(truth[k].node)] = static_cast<std::uint32_t>(k) + 1;
  is_common_.assign(truth.size() + 1, 0);
}

void PairComparer::compare_ancestors(std::span<const Ancestor> truth, std::span<const Ancestor> predicted) {
  enter(truth);
  const auto level_bit = [](bool really, const Ancestor& at) {
    return std::uint64_t{really} << static_cast<unsigned>(at.level);
  };
  common_.resize(std::min(truth.size(), predicted.size()) + 1);
  // Whether a node is common is unpredictable, so nothing here branches on it: place 0 stands for nodes that are not.
  // Pointers and sums are local, because the compiler must assume that a store through a pointer changes any member.
  const std::uint32_t* const places = place_.data();
  std::uint32_t* const is_common = is_common_.data();
  CommonNode* next = common_.data();
  std::uint64_t differing = 0;
  for (const Ancestor& ancestor : predicted) {
    const std::uint32_t place = places[static_cast<std::size_t>(ancestor.node)];
    const std::uint32_t same = place != 0 ? 1 : 0;
    is_common[place] = 1;
    *next = {ancestor.node, truth[place - same].steps, ancestor.steps};
    next += same;
    differing |= level_bit(same == 0, ancestor);
  }
  for (std::size_t k = 0; k < truth.size(); ++k) {
    differing |= level_bit(is_common[k + 1] == 0, truth[k]);
    is_common[k + 1] = 0;
  }
  differing_ = differing;
  common_.resize(static_cast<std::size_t>(next - common_.data()));
  common_count_ = static_cast<double>(common_.size());
}

bool PairComparer::has_common_parent() const {
  return std::any_of(common_.begin(), common_.end(),
                     [](const CommonNode& node) { return node.true_steps == 1 && node.predicted_steps == 1; });
}

// The nearest of the lowest common ancestors; of several, the one with the largest id.
const PairComparer::CommonNode& PairComparer::connector() {
  // The last one is a lowest, because nodes below have larger ids. Usually it is also the nearest.
  const auto length = [](const CommonNode& node) { return node.true_steps + node.predicted_steps; };
  std::size_t best = common_.size() - 1;
  const bool is_nearest = std::all_of(common_.begin(), common_.end(),
                                      [&](const CommonNode& node) { return length(node) >= length(common_[best]); });
  if (is_nearest) return common_[best];
  ++round_;
  for (std::size_t k = common_.size(); k-- > 0;) {
    const CommonNode& node = common_[k];
    const bool is_lowest = covered_[static_cast<std::size_t>(node.node)] != round_;
    if (is_lowest && length(node) < length(common_[best])) best = k;
    for (const NodeId parent : table_.taxonomy().parents(node.node))
      covered_[static_cast<std::size_t>(parent)] = round_;
  }
  return common_[best];
}

}  // namespace clade
