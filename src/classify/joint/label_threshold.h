#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <Eigen/Core>
#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// Learns how many of its ranked classes are labels of a sample (A. Elisseeff and J. Weston, NIPS 2001): those above a
// threshold that is a linear function of the scores of all classes,
//
//   t(x) = sum_c a_c F(x, c) + b,
//
// fitted by least squares, over the training samples, to the thresholds with fewest errors: those that minimise |{y in
// Y: F(x, y) <= t}| + |{y not in Y: F(x, y) >= t}|; of several, the middle of the widest gap. Returns a_c in the order
// of the classes, then b. O(samples x classes^2).
std::vector<double> learn_threshold(const ModelBody& model, const Dataset& data, Context& ctx);

// The least-squares problem, built sample by sample.
class ThresholdFit {
 public:
  explicit ThresholdFit(Index classes);
  // Scores of all classes, and which of them are labels.
  void add(std::span<const double> scores, std::span<const char> is_label);
  // Adds several samples: a column with the scores and a 1 for each, and their thresholds.
  void add(const Eigen::MatrixXd& scores, const Eigen::VectorXd& wanted);
  std::vector<double> solve() const;

 private:
  Eigen::MatrixXd gram_;  // lower half
  Eigen::VectorXd right_;
};

// The threshold with fewest errors for one sample: scores of all classes, and which of them are labels.
double best_threshold(std::span<const double> scores, std::span<const char> is_label);

}  // namespace clade
