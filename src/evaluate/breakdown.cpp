#include "evaluate/breakdown.h"

#include <algorithm>
#include <tuple>

namespace clade {
namespace {

std::optional<double> ratio(Index part, Index whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

bool by_pair(const Confusion& a, const Confusion& b) {
  return std::tie(a.truth, a.predicted) < std::tie(b.truth, b.predicted);
}

template <class Before>
std::vector<Confusion> first_of(std::vector<Confusion> confusions, Index most, Before before) {
  const auto kept = std::min(most, static_cast<Index>(confusions.size()));
  std::partial_sort(confusions.begin(), confusions.begin() + kept, confusions.end(), before);
  confusions.resize(static_cast<std::size_t>(kept));
  return confusions;
}

}  // namespace

std::optional<double> NodeScore::precision() const {
  return ratio(correct, predicted);
}
std::optional<double> NodeScore::recall() const {
  return ratio(correct, support);
}
std::optional<double> NodeScore::f1() const {
  return ratio(2 * correct, predicted + support);
}

NodeCounts::NodeCounts(const Taxonomy& taxonomy)
    : nodes(static_cast<std::size_t>(taxonomy.size())),
      level_samples(static_cast<std::size_t>(taxonomy.levels()), 0),
      level_right(level_samples) {
  for (NodeId node = 0; node < taxonomy.size(); ++node) nodes[static_cast<std::size_t>(node)].node = node;
}

void NodeCounts::add_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Index weight) {
  for (const NodeId node : truth) nodes[static_cast<std::size_t>(node)].support += weight;
  std::size_t at = 0;
  for (const NodeId node : predicted) {
    NodeScore& score = nodes[static_cast<std::size_t>(node)];
    score.predicted += weight;
    while (at < truth.size() && truth[at] < node) ++at;
    if (at < truth.size() && truth[at] == node) score.correct += weight;
  }
}

void NodeCounts::add(const Taxonomy& taxonomy, const OutcomeScorer& scored, Index weight) {
  add_nodes(scored.true_nodes(), scored.predicted_nodes(), weight);
  int deepest = 0;
  for (const NodeId node : scored.true_nodes()) deepest = std::max(deepest, taxonomy.depth(node));
  for (std::size_t level = 1; level <= static_cast<std::size_t>(deepest); ++level) {
    level_samples[level] += weight;
    level_right[level] += weight;
  }
  for (const int level : scored.differing_levels()) {
    if (level <= deepest) level_right[static_cast<std::size_t>(level)] -= weight;
  }
}

void NodeCounts::add(const NodeCounts& other) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    nodes[k].support += other.nodes[k].support;
    nodes[k].predicted += other.nodes[k].predicted;
    nodes[k].correct += other.nodes[k].correct;
  }
  for (std::size_t k = 0; k < level_samples.size(); ++k) {
    level_samples[k] += other.level_samples[k];
    level_right[k] += other.level_right[k];
  }
}

std::vector<LevelScore> level_scores(const Taxonomy& taxonomy, const NodeCounts& counts) {
  std::vector<LevelScore> levels(static_cast<std::size_t>(taxonomy.longest_path()));
  for (std::size_t k = 0; k < levels.size(); ++k) {
    levels[k].level = static_cast<int>(k) + 1;
    levels[k].samples = counts.level_samples[k + 1];
    levels[k].right = counts.level_right[k + 1];
  }
  for (const NodeScore& score : counts.nodes) {
    const int depth = taxonomy.depth(score.node);
    if (depth == 0) continue;
    NodeScore& total = levels[static_cast<std::size_t>(depth) - 1].total;
    total.support += score.support;
    total.predicted += score.predicted;
    total.correct += score.correct;
  }
  return levels;
}

std::vector<Confusion> find_confusions(const Outcomes& outcomes, const Dataset& data,
                                       const OutcomeDistances& distances) {
  std::vector<Confusion> confusions;
  for (Index o = 0; o < outcomes.size(); ++o) {
    const auto truth = data.labels(outcomes.sample[static_cast<std::size_t>(o)]);
    const auto predicted = outcomes.predicted_set(o);
    const auto distance = distances.of(o);
    for (std::size_t c = 0; c < predicted.size(); ++c) {
      std::size_t nearest = 0;
      for (std::size_t r = 1; r < truth.size(); ++r) {
        if (distance[r * predicted.size() + c] < distance[nearest * predicted.size() + c]) nearest = r;
      }
      const int edges = distance[nearest * predicted.size() + c];
      if (edges == 0) continue;
      confusions.push_back({truth[nearest], predicted[c], outcomes.weight[static_cast<std::size_t>(o)], edges});
    }
  }
  // Outcomes of single labels are in this order already, and distinct.
  if (!std::is_sorted(confusions.begin(), confusions.end(), by_pair)) {
    std::sort(confusions.begin(), confusions.end(), by_pair);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < confusions.size(); ++k) {
    if (kept > 0 && !by_pair(confusions[kept - 1], confusions[k])) {
      confusions[kept - 1].count += confusions[k].count;
    } else {
      confusions[kept++] = confusions[k];
    }
  }
  confusions.resize(kept);
  return confusions;
}

std::vector<Confusion> most_frequent(std::vector<Confusion> confusions, Index most) {
  return first_of(std::move(confusions), most, [](const Confusion& a, const Confusion& b) {
    return std::tuple(-a.count, -a.distance, a.truth, a.predicted) <
           std::tuple(-b.count, -b.distance, b.truth, b.predicted);
  });
}

std::vector<Confusion> most_costly(std::vector<Confusion> confusions, Index most) {
  return first_of(std::move(confusions), most, [](const Confusion& a, const Confusion& b) {
    return std::tuple(-a.cost(), -a.count, a.truth, a.predicted) <
           std::tuple(-b.cost(), -b.count, b.truth, b.predicted);
  });
}

}  // namespace clade
