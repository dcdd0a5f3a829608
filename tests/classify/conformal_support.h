#pragma once

#include <clade/node_scores.h>
#include <clade/taxonomy.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "classify/narrowing.h"
#include "core/random.h"
#include "taxonomy/random_taxonomies.h"

// Samples with scores of nodes, as a model of middling quality might give them.
namespace clade::testing {

struct ScoredSample {
  std::vector<NodeId> labels;
  std::vector<double> scores;
};

struct ScoredProblem {
  Taxonomy taxonomy;
  bool has_several_labels;
  std::vector<NodeId> classes;  // leaves, and some inner nodes
  std::vector<float> own_share;

  ScoredProblem(NodeId nodes, bool dag, bool several, std::uint64_t seed)
      : taxonomy(random_taxonomy(nodes, dag, seed)),
        has_several_labels(several),
        classes(taxonomy.leaves().begin(), taxonomy.leaves().end()) {
    const auto inner = taxonomy.internal_nodes();
    if (seed % 2 == 0 && inner.size() > 1) classes.push_back(inner[1]);
    if (!several) return;
    own_share.assign(static_cast<std::size_t>(taxonomy.size()), 0);
    for (const NodeId label : classes) own_share[static_cast<std::size_t>(label)] = taxonomy.is_leaf(label) ? 1 : 0.3F;
  }

  AnswerSpace space() const { return {taxonomy, taxonomy.size(), has_several_labels, own_share}; }

  ScoredSample draw(RandomStream& random) const {
    ScoredSample sample;
    const auto count = has_several_labels ? 1 + random.below(3) : 1;
    for (Index k = 0; k < count; ++k) {
      const NodeId label = classes[static_cast<std::size_t>(random.below(std::ssize(classes)))];
      const bool is_related = std::ranges::any_of(sample.labels, [&](NodeId other) {
        return other == label || taxonomy.is_ancestor(other, label) || taxonomy.is_ancestor(label, other);
      });
      if (!is_related) sample.labels.push_back(label);
    }
    std::ranges::sort(sample.labels);
    const double skill = 3 * random.uniform();
    std::vector<double> margins;
    for (const NodeId label : classes) {
      const bool is_true = std::ranges::binary_search(sample.labels, label);
      margins.push_back((is_true ? skill : 0) + random.normal() - (has_several_labels ? 2 : 0));
    }
    sample.scores = has_several_labels ? apart(margins) : together(margins);
    return sample;
  }

 private:
  // Probabilities of classes that add up to 1, and of the nodes above them.
  std::vector<double> together(const std::vector<double>& margins) const {
    std::vector<double> scores(static_cast<std::size_t>(taxonomy.size()), 0);
    double sum = 0;
    for (const double margin : margins) sum += std::exp(margin);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double share = std::exp(margins[c]) / sum;
      scores[static_cast<std::size_t>(classes[c])] += share;
      for (const NodeId above : taxonomy.ancestors(classes[c])) scores[static_cast<std::size_t>(above)] += share;
    }
    for (double& score : scores) score = std::min(score, 1.0);
    scores[0] = 1;
    make_consistent(taxonomy, scores);
    return scores;
  }

  std::vector<double> apart(const std::vector<double>& margins) const {
    std::vector<double> scores(static_cast<std::size_t>(taxonomy.size()), 0);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      scores[static_cast<std::size_t>(classes[c])] = 1 / (1 + std::exp(-margins[c]));
    }
    scores[0] = 1;
    make_consistent(taxonomy, scores);
    return scores;
  }
};

}  // namespace clade::testing
