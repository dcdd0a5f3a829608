#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/predictions.h>

#include <span>
#include <string>
#include <vector>

#include "evaluate/node_distance.h"

namespace clade {

// Of weighted_loss (Cai 2008, equation 3.11).
struct LossWeights {
  double missed = 1;           // cost of a true node that is not predicted
  double extra = 1;            // and of a predicted one that is not true
  std::vector<double> volume;  // of each node; empty: 1
};

// What happened to the samples: each outcome is a true label set with its predicted one.
//
// If every sample has one label and one is predicted, an outcome is a pair of nodes, shared by all samples with this
// pair. Pairs ascend, so that no sum over them depends on the order of the samples. Otherwise each sample has an
// outcome of its own.
class Outcomes {
 public:
  bool are_pairs() const { return !pairs.empty(); }
  Index size() const { return static_cast<Index>(are_pairs() ? pairs.size() : samples.size()); }
  Index weight(Index outcome) const { return are_pairs() ? weights[static_cast<std::size_t>(outcome)] : 1; }

  std::span<const NodeId> truth(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    return are_pairs() ? std::span(&pairs[o].a, 1) : data.labels(samples[o]);
  }
  // Only the most specific nodes, ascending.
  std::span<const NodeId> predicted(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    if (are_pairs()) return {&pairs[o].b, 1};
    return {sets.data() + offsets[o], static_cast<std::size_t>(offsets[o + 1] - offsets[o])};
  }
  // The label of rank 1.
  NodeId first(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    return are_pairs() ? pairs[o].b : predictions.labels_of(samples[o])[0];
  }
  // The outcome of a sample, or -1 if it is not evaluated.
  Index of_sample(Index sample) const;

  Dataset data;
  const Predictions& predictions;  // must outlive this object
  std::vector<NodePair> pairs;     // (true, predicted)
  std::vector<Index> weights;      // per pair: the number of samples that have it
  std::vector<Index> samples;      // if there are no pairs: the sample of each outcome, ascending
  std::vector<Index> offsets{0};   // of the predicted sets
  std::vector<NodeId> sets;

  Index evaluated = 0;      // number of samples
  Index shortest_list = 0;  // labels of the shortest list; 0: no list has two
  Index at = 0;             // EvaluateOptions::at
  LossWeights loss;
  bool ranked = false;  // every true label is in its sample's list: measures of rankings apply
  Index classes = 0;    // leaves, and inner nodes that occur as labels; only with `ranked`
  std::vector<std::string> notes;
};

// With `by_sample`, outcomes are never pairs. `decided` has the predicted sets, unless the options say which of the
// predictions form them; null: they are a matter of the predictions.
Outcomes find_outcomes(const Dataset& data, const Predictions& predictions, const Predictions* decided,
                       const EvaluateOptions& options, bool by_sample, Context& ctx);

// The evaluated samples with their labels.
JudgedSamples judged_samples(const Outcomes& outcomes);

// All nodes that occur as labels in outcomes, each once: true, predicted or first, and with `ranked` all listed ones.
std::vector<NodeId> labels_of(const Outcomes& outcomes);

// Distances between the true and the predicted labels of every outcome.
class OutcomeDistances {
 public:
  OutcomeDistances(const Outcomes& outcomes, Context& ctx);

  // Row by row: the distances from the first true label to all predicted ones, then from the second, ...
  std::span<const int> of(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    if (offsets_.empty()) return {distances_.data() + o, 1};
    return {distances_.data() + offsets_[o], static_cast<std::size_t>(offsets_[o + 1] - offsets_[o])};
  }

 private:
  std::vector<Index> offsets_;  // empty: outcomes are pairs
  std::vector<int> distances_;
};

}  // namespace clade
