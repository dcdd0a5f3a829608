#pragma once

#include <clade/types.h>

#include <memory>
#include <span>
#include <vector>

#include "classify/joint/joint_problem.h"
#include "classify/joint/sample_dual.h"

namespace clade {

// H = Delta(y, r) (1 - F(x, y) + F(x, r)) of all pairs of a class that a sample has and one that it does not have: the
// largest of all, and the few that are to become variables.
class PairSearch {
 public:
  // O(classes^2); a copy costs little.
  explicit PairSearch(const JointProblem& problem);

  // Of the way from the largest H down to the smallest H of a variable: pairs beyond it are not asked for.
  static constexpr double kShare = 0.9;

  // The largest H, or 0. The smallest H of a variable is `floor`, and some pair is known to have `reached`.
  double largest(std::span<const std::int32_t> own, std::span<const double> class_scores, double floor, double reached);

  // What takes part: H of at least `enough` and above `least`, and above a share of the largest one of its own class.
  struct Limits {
    double enough = 0;
    double least = 0;
    double share = 0;
    std::size_t count = 0;
  };
  // After largest(): the pairs with the largest H that are not known yet, the largest first.
  std::span<const PairVariable> best(const Limits& limits, std::span<const PairVariable> known);

 private:
  static constexpr Index kBlock = 64;  // classes with a common maximum

  struct Candidate {
    double gradient;
    PairVariable variable;
  };
  static bool is_before(const Candidate& a, const Candidate& b);

  const JointProblem& problem_;
  Index classes_;
  Index blocks_;
  std::span<const std::int32_t> own_;
  std::shared_ptr<const std::vector<double>> most_loss_;  // classes x blocks: the largest loss of a class in the block
  std::vector<double> best_score_;                        // per block
  std::vector<double> others_;                            // 1 for the classes that the sample does not have, else 0
  std::vector<double> gradient_;                          // own classes x classes, padded to full blocks
  std::vector<double> largest_;                           // own classes x blocks
  std::vector<double> top_;                               // per own class
  std::vector<double> scratch_;
  std::vector<Candidate> candidates_;
  std::vector<PairVariable> found_;
};

}  // namespace clade
