#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "classify/linear/hinge_dual.h"

namespace clade {

// Estimates the outputs for some training samples as if these had been held out of training:
//
//   f(x) - g a y ||x||^2        a: the sample's dual variable, y: +1 or -1
//
// With g = 1 that is what the solution loses with the sample if all other variables stay as they are: right if samples
// have little in common, as in text; far too much if features are few. So g is measured for each level: some outputs
// (all, if they are few) are solved again without the samples, and g is the value that fits them best.
class HeldOutScores {
 public:
  // Takes a share of the rows, drawn at random. `weight` has a weight per row; empty: 1 each. `level` has the level of
  // each output, from 0.
  HeldOutScores(Index rows, std::vector<std::size_t> level, std::span<const double> weight, std::uint64_t seed);

  // Is this one of the outputs to solve again? If so, with these weights, which are 0 for samples held out.
  bool is_measured(Index o) const { return is_measured_[static_cast<std::size_t>(o)] != 0; }
  const std::vector<double>& weight() const { return weight_; }
  // Sets the solution of output o and, if it is measured, the solution without the samples (else null). `rows` are
  // those of the solution. May be called from several threads for different o.
  void set(Index o, const TrainingRows& rows, const HingeResult& solution, const HingeResult* without,
           std::span<const std::int8_t> sign, double bias);
  // Called once all are set.
  void finish();

  const std::vector<Index>& samples() const { return samples_; }
  std::span<const float> of(std::size_t k) const {  // of samples()[k]: an entry per output
    return {scores_.data() + k * level_.size(), level_.size()};
  }

 private:
  std::vector<std::size_t> level_;
  std::vector<Index> samples_;
  std::vector<double> weight_;
  std::vector<char> is_measured_;
  std::vector<float> scores_;
  std::vector<float> losses_;  // a y ||x||^2
  struct Fit {
    double product = 0;  // of the measured loss and the loss for g = 1
    double square = 0;
  };
  std::vector<Fit> fits_;  // per output
};

// Weights of depth 1, 2, ... for the sum of decisions along paths, chosen so that the best leaves of the samples have
// the largest sum of hierarchical F1 (micro, without the root) and accuracy. `nodes` has the node of every output,
// ascending. Coordinate search from equal weights and from all weight on the last level; the largest weight is 1.
std::vector<double> learn_level_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                                        const Dataset& data, Context& ctx);

}  // namespace clade
