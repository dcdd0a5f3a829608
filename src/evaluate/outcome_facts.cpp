#include "evaluate/outcome_facts.h"

#include <algorithm>
#include <functional>

namespace clade {

namespace {

bool have_common_parent(const Taxonomy& taxonomy, NodeId a, NodeId b) {
  const auto above_a = taxonomy.parents(a);
  const auto above_b = taxonomy.parents(b);
  return std::find_first_of(above_a.begin(), above_a.end(), above_b.begin(), above_b.end()) != above_a.end();
}

double volume_of(const LossWeights& loss, NodeId node) {
  return loss.volume.empty() ? 1 : loss.volume[static_cast<std::size_t>(node)];
}

// Mean distance from each true label to the nearest predicted one, and from each predicted label to the nearest true
// one, averaged over the two directions. For one label against one, their distance.
double set_distance(std::span<const int> distances, std::size_t rows) {
  const std::size_t columns = distances.size() / rows;
  double to_predicted = 0;
  double to_true = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = distances.subspan(r * columns, columns);
    to_predicted += *std::min_element(row.begin(), row.end());
  }
  for (std::size_t c = 0; c < columns; ++c) {
    int nearest = distances[c];
    for (std::size_t r = 1; r < rows; ++r) nearest = std::min(nearest, distances[r * columns + c]);
    to_true += nearest;
  }
  return (to_predicted / static_cast<double>(rows) + to_true / static_cast<double>(columns)) / 2;
}

}  // namespace

OutcomeComparer::OutcomeComparer(const Outcomes& outcomes, const AncestorTable& table,
                                 const OutcomeDistances& distances, bool count_root)
    : outcomes_(outcomes),
      table_(table),
      distances_(distances),
      uncounted_(count_root ? 0 : 1),
      lca_(table),
      decisions_(table.taxonomy()),
      differing_(table.taxonomy().levels()) {}

void OutcomeComparer::compare(Index outcome, OutcomeFacts& facts, NodeCounts& counts) {
  facts = {.outcomes = &outcomes_, .outcome = outcome, .uncounted = uncounted_};
  const auto truth = outcomes_.truth(outcome);
  const auto predicted = outcomes_.predicted(outcome);
  compare_nodes(truth, predicted, facts);
  facts.distance = set_distance(distances_.of(outcome), truth.size());
  facts.lca = lca_.score(truth, predicted);
  compare_first(truth, outcomes_.first(outcome), facts);
  if (outcomes_.ranked) {
    const Index sample = outcomes_.samples[static_cast<std::size_t>(outcome)];
    const Predictions& predictions = outcomes_.predictions;
    facts.ranking =
        score_ranking(truth, predictions.labels_of(sample), predictions.scores_of(sample), outcomes_.classes, table_);
  }
  counts.add_nodes(true_nodes_, predicted_nodes_, outcomes_.weight(outcome));
  counts.add_levels(deepest_true_, differing_.levels(), outcomes_.weight(outcome));
}

void OutcomeComparer::compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted,
                                    OutcomeFacts& facts) {
  const Taxonomy& taxonomy = table_.taxonomy();
  join_ancestors(table_, truth, true_nodes_);
  join_ancestors(table_, predicted, predicted_nodes_);
  differing_.clear();
  deepest_true_ = 0;
  int deepest_predicted = 0;
  double common = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < true_nodes_.size() || j < predicted_nodes_.size()) {
    const bool is_true =
        j == predicted_nodes_.size() || (i < true_nodes_.size() && true_nodes_[i] <= predicted_nodes_[j]);
    const bool is_predicted =
        i == true_nodes_.size() || (j < predicted_nodes_.size() && predicted_nodes_[j] <= true_nodes_[i]);
    const int level = taxonomy.depth(is_true ? true_nodes_[i] : predicted_nodes_[j]);
    if (is_true) deepest_true_ = std::max(deepest_true_, level);
    if (is_predicted) deepest_predicted = std::max(deepest_predicted, level);
    if (is_true && is_predicted) {
      ++common;
    } else {
      differing_.add(level);
      const NodeId node = is_true ? true_nodes_[i] : predicted_nodes_[j];
      (is_true ? facts.missed_volume : facts.extra_volume) += volume_of(outcomes_.loss, node);
    }
    i += is_true ? 1 : 0;
    j += is_predicted ? 1 : 0;
  }

  facts.true_nodes = static_cast<double>(true_nodes_.size());
  facts.predicted_nodes = static_cast<double>(predicted_nodes_.size());
  facts.common_nodes = common;
  facts.decisions = decisions_.count(true_nodes_, predicted_nodes_, std::identity());
  facts.levels = std::max(deepest_true_, deepest_predicted);
  facts.differing_levels = static_cast<double>(differing_.levels().size());
}

void OutcomeComparer::compare_first(std::span<const NodeId> truth, NodeId first, OutcomeFacts& facts) const {
  const bool right = std::find(truth.begin(), truth.end(), first) != truth.end();
  facts.first_is_right = right ? 1 : 0;
  facts.first_has_right_parent =
      right || std::any_of(truth.begin(), truth.end(),
                           [&](NodeId label) { return have_common_parent(table_.taxonomy(), label, first); })
          ? 1
          : 0;
  if (right) return;
  for (const NodeId label : truth) {
    facts.first_loss = std::max(facts.first_loss, hierarchical_loss(table_, label, first));
  }
}

}  // namespace clade
