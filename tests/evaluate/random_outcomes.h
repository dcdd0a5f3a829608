#pragma once

#include <clade/dataset.h>
#include <clade/predictions.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"
#include "taxonomy/brute_force.h"

// Small random taxonomies with labels and predictions, for measures to be computed on.
namespace clade::testing {

struct Case {
  Hierarchy hierarchy;
  Taxonomy taxonomy;
  Dataset data;
  Predictions predictions;
};

struct CaseShape {
  int most_nodes = 14;
  int most_parents = 1;   // above 1: a DAG
  Index most_labels = 1;  // per sample
  bool inner_labels = false;
  Index samples = 6;
  // Predictions: of each sample one label, several, or all classes in order.
  enum class Lists { kSingle, kSets, kRankings } lists = Lists::kSingle;
  double right = 0.4;         // chance that the first label is a true one
  Index distinct_scores = 0;  // of a ranking; 0: no ties
};

inline Dataset make_dataset(const Taxonomy& taxonomy, const std::vector<std::vector<NodeId>>& labels) {
  Dataset::Parts parts;
  DenseMatrix<double> matrix;
  matrix.rows = static_cast<Index>(labels.size());
  parts.features = std::move(matrix);
  for (const auto& set : labels) {
    parts.labels.nodes.insert(parts.labels.nodes.end(), set.begin(), set.end());
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// Most specific ones of some random nodes, ascending.
inline std::vector<NodeId> random_label_set(const Taxonomy& taxonomy, const std::vector<NodeId>& from, Index most,
                                            RandomStream& random) {
  std::vector<NodeId> drawn;
  for (Index k = 1 + random.below(most); k > 0; --k) {
    drawn.push_back(from[static_cast<std::size_t>(random.below(static_cast<Index>(from.size())))]);
  }
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  std::vector<NodeId> kept;
  for (const NodeId node : drawn) {
    const auto above = [&](NodeId other) { return taxonomy.is_ancestor(node, other); };
    if (std::none_of(drawn.begin(), drawn.end(), above)) kept.push_back(node);
  }
  return kept;
}

inline Case random_case(const CaseShape& shape, RandomStream& random) {
  Hierarchy hierarchy = random_hierarchy(
      random,
      {.most_nodes = shape.most_nodes, .most_parents = shape.most_parents, .root_share = 0.1, .chain_share = 0.2});
  Taxonomy taxonomy = build(hierarchy);
  std::vector<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
  if (shape.inner_labels) {
    classes.clear();
    for (NodeId node = 0; node < taxonomy.size(); ++node) classes.push_back(node);
  }
  std::vector<std::vector<NodeId>> labels;
  Predictions predictions;
  for (Index s = 0; s < shape.samples; ++s) {
    labels.push_back(random_label_set(taxonomy, classes, shape.most_labels, random));
    std::vector<NodeId> list = classes;
    random.shuffle(std::span<NodeId>(list));
    if (random.uniform() < shape.right) {
      const auto& truth = labels.back();
      const NodeId right = truth[static_cast<std::size_t>(random.below(static_cast<Index>(truth.size())))];
      std::iter_swap(list.begin(), std::find(list.begin(), list.end(), right));
    }
    if (shape.lists == CaseShape::Lists::kSingle) list.resize(1);
    if (shape.lists == CaseShape::Lists::kSets) {
      list.resize(std::min(list.size(), static_cast<std::size_t>(1 + random.below(4))));
    }
    std::vector<double> scores;
    for (std::size_t k = 0; k < list.size(); ++k) {
      scores.push_back(shape.distinct_scores > 0 ? static_cast<double>(random.below(shape.distinct_scores))
                                                 : -static_cast<double>(k));
    }
    std::sort(scores.begin(), scores.end(), std::greater<>());
    predictions.labels.insert(predictions.labels.end(), list.begin(), list.end());
    predictions.scores.insert(predictions.scores.end(), scores.begin(), scores.end());
    predictions.offsets.push_back(static_cast<Index>(predictions.labels.size()));
  }
  Dataset data = make_dataset(taxonomy, labels);
  return {std::move(hierarchy), std::move(taxonomy), std::move(data), std::move(predictions)};
}

}  // namespace clade::testing
