#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/taxonomy.h>
#include <clade/types.h>

#include <span>
#include <vector>

namespace clade {

// A score from 0 to 1 for every node of a hierarchy and every sample, row-major, nodes in id order. The root has 1.
struct NodeScores {
  Index nodes = 0;
  std::vector<double> values;

  Index samples() const { return nodes == 0 ? 0 : static_cast<Index>(values.size()) / nodes; }
  std::span<const double> of(Index sample) const {
    return {values.data() + sample * nodes, static_cast<std::size_t>(nodes)};
  }
  std::span<double> of(Index sample) { return {values.data() + sample * nodes, static_cast<std::size_t>(nodes)}; }
};

// How scores are made to agree with the hierarchy, in which no node is more likely than one above it.
enum class Consistency {
  kDescendants,  // a node gets the largest score of itself and what is below it
  kAncestors,    // a node gets the smallest score of itself and what is above it
};

// One sweep over the edges, in trees and DAGs; the result is the only one that the rule allows.
void make_consistent(const Taxonomy& taxonomy, std::span<double> scores,
                     Consistency consistency = Consistency::kDescendants);

struct NodeScoreOptions {
  Consistency consistency = Consistency::kDescendants;
  bool align_features = false;  // as in PredictOptions
};

// The number of nodes that a model scores: those of its taxonomy, without the miscellaneous leaves, which come last.
Index scored_nodes(const Model& model);

// Scores of all nodes, consistent with the hierarchy. docs/methods/node-scores.md says how each kind of model gets
// them. The data must suit the model as for predict(). A sample's scores do not depend on the other samples, nor on the
// number of threads. Takes 8 bytes x samples x nodes: where that is too much, ask for ranges of samples.
NodeScores node_scores(const Model& model, const Dataset& data, const NodeScoreOptions& options, Context& ctx);
NodeScores node_scores(const Model& model, const Dataset& data, Context& ctx);
// The same for the samples from begin to end.
NodeScores node_scores(const Model& model, const Dataset& data, Index begin, Index end, const NodeScoreOptions& options,
                       Context& ctx);

}  // namespace clade
