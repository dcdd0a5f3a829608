#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/predictions.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// What happened to the samples: each outcome is a true label set and what was predicted for it. Samples that met with
// the same outcome share one, where that can be told cheaply: where every sample has one label, one is predicted, and
// only that counts. The order of such outcomes, hence every sum over them, does not depend on the order of the samples.
struct Outcomes {
  std::vector<Index> sample;      // of each outcome: one that met with it
  std::vector<Index> weight;      // how many did
  std::vector<Index> of_sample;   // the outcome of each sample; -1: not evaluated
  std::vector<Index> offsets{0};  // of the predicted sets
  std::vector<NodeId> predicted;  // most specific nodes only, ascending
  std::vector<NodeId> first;      // the label of rank 1
  std::vector<std::string> notes;

  bool ranked = false;  // every true label is in its sample's list: measures of rankings apply
  Index classes = 0;    // leaves, and inner nodes that occur as a label

  Index size() const { return static_cast<Index>(sample.size()); }
  Index samples() const;  // evaluated ones
  std::span<const NodeId> predicted_set(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    return {predicted.data() + offsets[o], static_cast<std::size_t>(offsets[o + 1] - offsets[o])};
  }
};

Outcomes find_outcomes(const Dataset& data, const Predictions& predictions, const EvaluateOptions& options,
                       Context& ctx);

// All nodes that occur in outcomes as labels: true, predicted or first, and with `ranked` all listed ones.
std::vector<NodeId> labels_of(const Outcomes& outcomes, const Dataset& data, const Predictions& predictions);

}  // namespace clade
