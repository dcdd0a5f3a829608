#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "classify/joint/joint_problem.h"

namespace clade {

// A dual variable of a sample: a pair of a class that it has and one that it does not have. alpha = loss x share, and
// the shares of a sample sum to at most its cost.
struct PairVariable {
  std::int32_t own;
  std::int32_t other;
  double loss;
  double share;
};

// The part of the dual that belongs to one sample, over some of its pairs, with everything else fixed:
//
//   max over b >= 0, sum b <= c of  sum_p b_p Delta_p - 1/2 || w_0 + sum_p b_p Delta_p (Lambda(y_p) - Lambda(r_p)) (x)
//   x ||^2
//
// The gradient with respect to b_p is H_p = Delta_p (1 - F(x, y_p) + F(x, r_p)). Solved by exact steps along pairs of
// variables, the one with the largest H against the positive one with the smallest H; the slack c - sum b takes part
// with H = 0.
class SampleDual {
 public:
  explicit SampleDual(const JointProblem& problem);

  struct Outcome {
    double violation = 0;  // largest H minus smallest H, before the first step
    double linear = 0;     // change of sum b Delta
    double square = 0;     // change of ||w||^2
    int steps = 0;
  };
  // `output[z]` = <w_z, x> for all attributes of the variables' classes; `x` has the given square. Steps until the
  // violation is at most the tolerance. Afterwards, changes() has the changes to w, as factors of x.
  template <class T>
  Outcome solve(std::vector<PairVariable>& variables, const T* output, SampleSquare square, double cost,
                double tolerance, int most_steps);
  // By attribute, ascending, without zeros.
  std::span<const AttributeChange> changes() const { return changes_; }
  // The attributes that solve() will read.
  std::span<const std::int32_t> attributes_of(std::span<const PairVariable> variables);

 private:
  void collect(std::span<const PairVariable> variables);
  void compute_gradients(std::span<const PairVariable> variables);
  double add_direction(const PairVariable& variable, double sign);

  const JointProblem& problem_;
  std::vector<std::int32_t> used_;   // attributes of the current variables
  std::vector<std::int32_t> place_;  // attribute -> 1 if used
  std::vector<double> output_;       // by attribute
  std::vector<double> coefficient_;  // by attribute: what w has gained, as a factor of x
  std::vector<double> direction_;    // by attribute
  std::vector<std::int32_t> along_;  // attributes of the direction
  std::vector<double> gradient_;     // per variable
  std::vector<AttributeChange> changes_;
};

// Is the sample's cost used up by its shares?
inline bool is_exhausted(double sum, double cost) {
  return sum >= cost * (1 - 1e-12);
}

}  // namespace clade
