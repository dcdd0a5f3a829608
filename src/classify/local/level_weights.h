#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "classify/linear/hinge_dual.h"

namespace clade {

// Decisions of many outputs for some samples that were held out of training.
class HeldOutScores {
 public:
  // Holds out a share of the rows, drawn at random. `weight` has those of all rows; empty: 1 each.
  HeldOutScores(const TrainingRows& rows, Index outputs, std::span<const double> weight, std::uint64_t seed);

  // Weights to train with: 0 for samples that are held out.
  const std::vector<double>& weight() const { return weight_; }
  // The scores of output o; from several threads for several o.
  void set(Index o, const HingeResult& solution);

  const std::vector<Index>& samples() const { return samples_; }
  std::span<const float> of(std::size_t k) const {  // of samples()[k], an entry per output
    return {scores_.data() + k * static_cast<std::size_t>(outputs_), static_cast<std::size_t>(outputs_)};
  }

 private:
  const TrainingRows& rows_;
  Index outputs_;
  std::vector<Index> samples_;
  std::vector<double> weight_;
  std::vector<float> scores_;
};

// Weights of depth 1, 2, ... for the sum of decisions along paths, such that the best leaves of the samples have the
// best hierarchical F1 (micro, without the root), then accuracy. `nodes` has the node of every output, ascending.
// Coordinate search from equal weights and from all weight on the last level; the largest weight is 1.
std::vector<double> learn_level_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                                        const Dataset& data, Context& ctx);

}  // namespace clade
