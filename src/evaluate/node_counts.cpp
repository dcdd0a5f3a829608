#include "evaluate/node_counts.h"

#include <algorithm>

namespace clade {
namespace {

std::optional<double> ratio(Index part, Index whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

void add_scores(std::vector<NodeScore>& to, const std::vector<NodeScore>& from) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    to[k].support += from[k].support;
    to[k].predicted += from[k].predicted;
    to[k].correct += from[k].correct;
  }
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
      level_wrong(level_samples),
      labels(nodes.size()) {
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

void NodeCounts::add_levels(int deepest, std::span<const int> wrong, Index weight) {
  for (int level = 1; level <= deepest; ++level) level_samples[static_cast<std::size_t>(level)] += weight;
  for (const int level : wrong) {
    if (level <= deepest) level_wrong[static_cast<std::size_t>(level)] += weight;
  }
}

void NodeCounts::add(NodeCounts&& other) {
  if (nodes.empty()) {
    *this = std::move(other);
    return;
  }
  add_scores(nodes, other.nodes);
  add_scores(labels, other.labels);
  for (std::size_t k = 0; k < level_samples.size(); ++k) {
    level_samples[k] += other.level_samples[k];
    level_wrong[k] += other.level_wrong[k];
  }
}

void NodeCounts::settle(const AncestorTable& table) {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const NodeScore label = labels[k];
    if (label.support + label.predicted == 0) continue;
    const auto ancestors = table.of(static_cast<NodeId>(k));
    for (const Ancestor& ancestor : ancestors) {
      NodeScore& score = nodes[static_cast<std::size_t>(ancestor.node)];
      score.support += label.support;
      score.predicted += label.predicted;
      score.correct += label.correct;
    }
    add_levels(ancestors.back().level, {}, label.support);
    labels[k] = {};
  }
}

std::vector<LevelScore> level_scores(const Taxonomy& taxonomy, const NodeCounts& counts) {
  std::vector<LevelScore> levels(static_cast<std::size_t>(taxonomy.longest_path()));
  for (std::size_t k = 0; k < levels.size(); ++k) {
    levels[k].level = static_cast<int>(k) + 1;
    levels[k].samples = counts.level_samples[k + 1];
    levels[k].right = counts.level_samples[k + 1] - counts.level_wrong[k + 1];
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

}  // namespace clade
