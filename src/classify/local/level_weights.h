#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

#include "core/byte_string.h"

namespace clade {

// Outputs for some training samples as if these had been held out of training, given as such or estimated as
//
//   f(x) - g a y ||x||^2        a: the sample's dual variable, y: +1 or -1
//
// With g = 1 that is what the solution loses with the sample if all other variables stay as they are: right if samples
// have little in common, as in text; far too much if features are few. So g is measured for each level: some outputs
// (all, if they are few) are solved again without the samples, and g is the value that fits them best.
class HeldOutScores {
 public:
  // Takes one of `one_of` rows, drawn at random, but not more than needed. `level` has the level of each output, from
  // 0.
  HeldOutScores(Index rows, Index one_of, std::vector<std::size_t> level, std::uint64_t seed);

  // Is this one of the outputs to solve again?
  bool is_measured(Index o) const { return is_measured_[static_cast<std::size_t>(o)] != 0; }
  // Sets the decisions of output o for all samples held out. May be called from several threads for different o.
  void set(Index o, std::span<const double> held_out);
  // The same by the estimate: `with` are the decisions of the solution, `losses` a y ||x||^2. If o is measured,
  // `without` are the decisions of the solution without the samples; else it is empty.
  void set(Index o, std::span<const double> with, std::span<const double> losses, std::span<const double> without);
  // What was set of output o, for another process of the same run.
  void put(Index o, ByteWriter& bytes) const;
  void get(Index o, ByteReader& bytes);
  // Called once all are set.
  void finish();

  const std::vector<Index>& samples() const { return samples_; }
  // Place of the row among samples(), or -1.
  std::int32_t place_of(Index row) const { return place_[static_cast<std::size_t>(row)]; }
  std::span<const float> of(std::size_t k) const {  // of samples()[k]: an entry per output
    return {scores_.data() + k * level_.size(), level_.size()};
  }

 private:
  std::vector<std::size_t> level_;
  std::vector<Index> samples_;
  std::vector<std::int32_t> place_;
  std::vector<char> is_measured_;
  std::vector<float> scores_;
  std::vector<float> losses_;  // a y ||x||^2; empty if no estimate is needed
  struct Fit {
    double product = 0;  // of the measured loss and the loss for g = 1
    double square = 0;
  };
  std::vector<Fit> fits_;  // per output
};

// How the decisions f of the nodes of a path are added up:
//
//   sum over the path of  levels[depth - 1] (s (f + 1) - 1),      s = (samples of the node / m)^power,
//
// m being the geometric mean of the samples of the nodes at that depth. The fewer samples a node has, the less often
// its decision leaves the -1 of the others, even for its own; a negative power makes up for that.
struct PathWeights {
  std::vector<double> levels;
  double power = 0;
  double quality = 0;  // the sum of F1 and accuracy that they reached
};

// s for every output. `level` has its level, `samples` the sum of the weights of its samples.
std::vector<double> size_factors(std::span<const std::size_t> level, std::span<const double> samples, double power);

// Chosen so that the best leaves of the samples have the largest sum of hierarchical F1 (micro, without the root) and
// accuracy. `nodes` has the node of every output, ascending. Coordinate search from equal weights and from all weight
// on the last level; the largest weight is 1. The power is 0 unless another one is clearly better. Only leaves that are
// among the best of a sample for some of the corners of the search are compared.
PathWeights learn_path_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                               std::span<const std::size_t> level, std::span<const double> samples, double power,
                               const Dataset& data, Context& ctx);

}  // namespace clade
