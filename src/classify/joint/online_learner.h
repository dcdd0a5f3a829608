#pragma once

#include <clade/context.h>

#include <functional>
#include <span>
#include <vector>

#include "classify/joint/dense_scores.h"
#include "classify/joint/joint_problem.h"
#include "classify/joint/kernel_scores.h"
#include "classify/joint/linear_scores.h"

namespace clade {

// A step of an online learner: w += size (Phi(x, own) - Phi(x, other)). If both classes are the same, the sample is
// ranked correctly. If they differ and size is 0, it is not, but nothing can be learnt from it.
struct OnlineStep {
  std::int32_t own = 0;
  std::int32_t other = 0;
  double size = 0;
  // If it is ranked correctly: it stays so while no difference of two scores changes by as much as this.
  double slack = 0;

  bool is_right() const { return own == other; }
};

// Chooses the step for a sample from the scores of all classes, its own classes (ascending) and ||x||^2. May be called
// from several threads.
using StepRule =
    std::function<OnlineStep(std::span<const double> scores, std::span<const std::int32_t> own, SampleSquare square)>;

// Hierarchical perceptron (Cai, thesis, Algorithm 4): takes the sample's own class with the lowest score and the other
// class with the highest score; if the first does not score higher, makes a step of size Delta(own, other). Ties go to
// the smaller number. With flat attributes and zero-one loss this is the multi-label perceptron.
StepRule perceptron_rule(const JointProblem& problem);

// Hieron (Dekel, Keshet and Singer 2004; thesis 7.5.2):
//
//   size = max(0, F(x, r) - F(x, y) + sqrt(Delta(y, r))) / (||Lambda(y) - Lambda(r)||^2 ||x||^2)
//
// with attributes 0 and 1. Online: y is the sample's class with the lowest score and r the other class with the highest
// (for one label per sample the predicted class); there is no step if the first is ranked before the second. On every
// hinge loss (as in the averaged form): y and r are the pair with the largest hinge. The published method has trees and
// one label per sample; on a DAG, Lambda and Delta count every ancestor once.
StepRule hieron_rule(const JointProblem& problem, bool on_every_loss);

struct OnlineOptions {
  int epochs = 20;
  bool is_averaged = false;
  std::span<const double> weight;  // factor of a sample's steps; empty: 1 each
};
struct OnlineResult {
  Index updates = 0;
  Index steps = 0;   // in total, earlier ones included
  Index active = 0;  // (sample, own class, other class) that were updated: the non-zero dual variables
  int epochs = 0;
  bool is_separated = false;  // the last epoch found all samples ranked correctly
};

// Goes through the samples in order, again and again, until an epoch makes no step. Averaged: the mean of the weights
// after every sample is ((L + 1) w - lagged) / L, with lagged = sum over steps l of l x change (5.15) and L the total
// number of steps; the caller computes it. `steps` were made before. O(non-zeros x attributes) per sample. Where that
// is much, explicit weights learn in blocks (online_blocks.h), with all threads.
template <class Scores>
OnlineResult learn_online(const JointProblem& problem, Scores& scores, const StepRule& rule, Index steps,
                          const OnlineOptions& options, Context& ctx);

// The minover form (Algorithm 7): always updates the sample and pair with the lowest margin of all, at most epochs x
// samples times. Scores of all samples and classes are kept and updated (5.17), which takes memory for samples x
// classes numbers. Throws Error (kInput) if that is too much. Samples whose values are all 0 are left out.
OnlineResult learn_minover(const JointProblem& problem, KernelScores& scores, const OnlineOptions& options,
                           Context& ctx);

// The changes of the weights by a step, attributes ascending: size (Lambda(own) - Lambda(other)).
void changes_of(const ClassAttributes& attributes, const OnlineStep& step, std::vector<AttributeChange>& changes);

}  // namespace clade
