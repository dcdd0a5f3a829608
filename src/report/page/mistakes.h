#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/taxonomy.h>

#include <vector>

namespace clade {

// A wrong label of a sample, and the true label that is nearest to it: the pairs that Confusion counts.
struct WrongLabel {
  Index judged = 0;  // place of the sample in JudgedSamples
  NodeId truth = 0;
  NodeId predicted = 0;
  int distance = 0;
};

// In the order of the samples.
std::vector<WrongLabel> wrong_labels(const JudgedSamples& judged, const Taxonomy& taxonomy, Context& ctx);

// How far wrong labels are from the truth.
struct MistakeSummary {
  Index count = 0;
  Index above = 0;                 // the predicted node is above the true one: right, but not specific
  Index below_parent = 0;          // a parent of the true node is the predicted one, or above it
  Index in_top_branch = 0;         // both are below the same child of the root
  std::vector<Index> by_distance;  // [d]: with this distance; by_distance[0] is 0
};
MistakeSummary summarise_mistakes(const std::vector<WrongLabel>& wrong, const Taxonomy& taxonomy);

}  // namespace clade
