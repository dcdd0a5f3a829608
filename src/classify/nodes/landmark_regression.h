#pragma once

#include <clade/context.h>

#include <functional>
#include <span>
#include <vector>

#include "comm/even_blocks.h"
#include "data/closed_labels.h"
#include "data/kernel/kernel_samples.h"
#include "data/kernel/ridge_solver.h"
#include "math/dense.h"

namespace clade {

class Progress;

// Kernel ridge regression for many samples (Nystroem's method: C. Williams and M. Seeger, 2001). Scores are sums over
// the landmarks, which are some of the samples, and all samples are fitted: with K the kernel of samples and landmarks,
// K_m that of the landmarks, W the weights of samples,
//
//   A = (K' W K + penalty K_m)^-1 K' W (Y - mean)      F = K A + mean
//
// This is ridge regression on the features Z = K R'^-1, K_m = R R'. With H = Z' W Z + penalty I and
// h_i = w_i z_i' H^-1 z_i, the score of a sample by the others is Y_i - (Y_i - F_i) / (1 - h_i) exactly. If all samples
// are landmarks, everything is as without. Some samples are taken at a time: the memory is that of four matrices of
// landmarks x landmarks and of the scores.
//
// Processes may have the values of some blocks of the samples, and all those of the landmarks: Z' W Z and Z' W (Y -
// mean) are sums of the blocks, with the same bits for any number of processes, and all solve the same equations.
class LandmarkRegression {
 public:
  // Prepares some samples as the kernel compares them.
  using SamplesOf = std::function<KernelSamples(std::span<const Index>)>;

  // `chosen` are the landmarks. gamma of the kernel is set. `labels` and `weight` (empty: 1 each) are of all samples,
  // and must outlive this object, as `blocks` must. All processes call it.
  LandmarkRegression(std::span<const Index> chosen, const KernelOptions& kernel, SamplesOf samples_of,
                     const ClosedLabels& labels, std::span<const double> weight, const EvenBlocks& blocks,
                     Context& ctx);

  const KernelSamples& landmarks() const { return landmarks_; }

  // Solves the regressions; held_out() needs it.
  void solve(double penalty);
  // Of the landmarks, by column.
  Matrix coefficient() const;
  // The scores of some samples, whose values this process has, by all others.
  Matrix held_out(std::span<const Index> some) const;
  // Those of some samples, ascending, for all processes: each computes those of its blocks. All processes call it.
  Matrix shared_held_out(std::span<const Index> some) const;

 private:
  Matrix similarities(std::span<const Index> some) const;
  Matrix centred_labels(std::span<const Index> some) const;
  double mass(Index sample) const { return weight_.empty() ? 1 : weight_[static_cast<std::size_t>(sample)]; }
  void sum_up();
  void add_block(int block, Matrix& squares, Matrix& products, Progress& progress) const;

  KernelOptions kernel_;
  SamplesOf samples_of_;
  const ClosedLabels& labels_;
  std::span<const double> weight_;
  const EvenBlocks& blocks_;
  Context& ctx_;
  KernelSamples landmarks_;
  Matrix dense_;              // columns of the data x landmarks, if they are mostly non-zero
  std::vector<Index> place_;  // of a sample among the landmarks, or -1
  Matrix root_;               // R
  Matrix squares_;            // Z' W Z, lower triangle
  Matrix products_;           // Z' W (Y - mean)
  Matrix whole_root_;         // R C, where H = C C'
  Matrix target_;             // C^-1 Z' W (Y - mean)
};

}  // namespace clade
