#pragma once

#include <clade/types.h>

#include <memory>
#include <span>
#include <vector>

#include "classify/joint/sample_dual.h"

namespace clade {

// The problem of SampleDual, from the scores of classes instead of the outputs of attributes. With
//
//   Q(p, q) = Delta_p Delta_q ||x||^2 <Lambda(y_p) - Lambda(r_p), Lambda(y_q) - Lambda(r_q)>
//
// written out for the few pairs of a sample, a step costs two rows of Q. For classes with few attributes, whose inner
// products cost little; those of up to 2,048 classes are kept.
class PairDual {
 public:
  // O(classes^2) for few classes; a copy costs little.
  explicit PairDual(const JointProblem& problem);

  struct Outcome {
    double violation = 0;  // largest H minus smallest H, before the first step
    double linear = 0;     // change of sum b Delta
    double slope = 0;      // sum of <change of w, x> over all attributes: half of what ||w||^2 gains at first
    int steps = 0;
  };
  struct Sample {
    double square = 0;  // ||x||^2
    double cost = 0;
    double tolerance = 0;  // steps until the violation is at most this
    int most_steps = 0;
  };

  // `class_scores` has F(x, y) for all classes of the variables. Variables may become 0.
  Outcome solve(std::span<PairVariable> variables, std::span<const double> class_scores, const Sample& sample);
  // Of the last solution: the changes to w, as factors of x. Attributes ascend.
  void list_changes(std::span<const PairVariable> variables, std::vector<AttributeChange>& changes);
  // The shares before the last solution.
  std::span<const double> shares_before() const { return before_; }

 private:
  struct Pair {
    std::int32_t own;
    std::int32_t other;
  };

  std::int32_t local_class(std::int32_t y);
  void number_classes(std::span<const PairVariable> variables);
  void fill_similarity();
  void fill_products(std::span<const PairVariable> variables, double square);
  void add_difference(std::int32_t own, std::int32_t other, double change);
  void add_to(std::int32_t attribute, double change);

  const ClassAttributes& attributes_;
  std::shared_ptr<const std::vector<float>> similarity_;  // classes x classes; null: too many
  std::vector<std::int32_t> class_place_;                 // class -> local class, or -1
  std::vector<std::int32_t> used_classes_;
  std::vector<Pair> pairs_;       // of the variables, by local class
  std::vector<double> local_;     // similarity of local classes
  std::vector<double> products_;  // Q, rows padded to full lanes
  std::vector<double> gradient_;
  std::vector<double> before_;
  std::vector<double> coefficient_;     // by attribute, 0 between calls
  std::vector<std::uint64_t> is_used_;  // attributes, as bits
};

}  // namespace clade
