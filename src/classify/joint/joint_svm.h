#pragma once

#include <clade/context.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "classify/joint/dense_scores.h"
#include "classify/joint/joint_problem.h"
#include "classify/joint/kernel_scores.h"
#include "classify/joint/linear_scores.h"
#include "classify/joint/sample_dual.h"

namespace clade {

// The hierarchical SVM with slack rescaling (Cai and Hofmann 2004; thesis of L. Cai, 4.10), for one or several labels
// per sample:
//
//   min  1/2 ||w||^2 + sum_i c_i xi_i   subject to   <w, Phi(x_i, y) - Phi(x_i, r)>  >=  1 - xi_i / Delta(y, r),  xi_i
//   >= 0
//
// for all classes y that sample i has and all r that it does not have; Phi(x, y) = Lambda(y) (x) x. With `flat`
// attributes and zero-one loss it is the SVM of Crammer and Singer. Its dual has a variable per (i, y, r), few of which
// are not zero.
//
// Solved by ascent over one sample's variables at a time. A full pass looks at all classes of all samples and makes
// variables of the most violating pairs. Between full passes, only samples that violated recently are visited, and only
// their non-zero variables. With DenseScores, samples that hardly violate are left out of full passes as well, until
// the others do not violate either.
//
// Stops when psi_i <= tolerance for every sample, at fixed weights: psi_i = l_i - u_i of (4.32), the largest H of any
// pair minus the smallest H of a positive variable.
enum class JointSchedule {
  // Samples side by side (block_solver.h) with LinearScores whose samples are not too alike, else in order.
  kFast,
  // Samples side by side, in blocks of JointSvmOptions::block.
  kSideBySide,
  // While some samples are visited, the next ones are scored, by other threads if there are any; changes made in the
  // meantime reach them through inner products. The result is the same as for one sample after the other, with any
  // number of threads. For many classes.
  kInOrder,
  // One sample after the other, with more passes over those that moved: about twice as fast if there are so few classes
  // that scoring a sample costs no more than an inner product or two.
  kInTurn,
  // One (sample, pair) at a time, the most violating one of all, as published (Algorithm 2 with 8a). For comparison.
  kPublished,
};

struct JointSvmOptions {
  double tolerance = 0.1;
  int iterations = 1000;  // full passes at most
  std::uint64_t seed = 1;
  JointSchedule schedule = JointSchedule::kFast;
  Index block = 64;             // of kSideBySide
  bool shows_progress = false;  // not where several problems are solved side by side
};

// The state after a pass. The primal objective uses the slacks as they were met while the weights moved; it is exact in
// the result.
struct JointSvmPass {
  double violation = 0;
  double dual = 0;
  double primal = 0;
  Index active = 0;
};

struct JointSvmResult {
  double dual = 0;
  double primal = 0;
  double violation = 0;  // largest psi_i
  double slack = 0;      // sum of xi_i
  Index active = 0;      // variables that are not zero
  double pairs = 0;      // all variables
  bool has_converged = false;
  std::vector<JointSvmPass> passes;

  double gap() const { return primal - dual; }
  double active_ratio() const { return pairs > 0 ? static_cast<double>(active) / pairs : 0; }
};

// Sums over samples at fixed weights, of which the objectives are made; ||w||^2 = sum of alpha (F(x, y) - F(x, r)).
struct JointSums {
  double linear = 0;  // of alpha
  double square = 0;  // of ||w||^2
  double slack = 0;
  double slack_cost = 0;
  double violation = 0;  // the largest

  void add(const JointSums& part) {
    linear += part.linear;
    square += part.square;
    slack += part.slack;
    slack_cost += part.slack_cost;
    violation = std::max(violation, part.violation);
  }
  void put_into(JointSvmResult& result) const {
    result.dual = linear - square / 2;
    result.primal = square / 2 + slack_cost;
    result.violation = violation;
    result.slack = slack;
  }
};

// The variables of every sample; kept between calls for a warm start with another cost. They must stay feasible, so
// costs may only grow.
using JointVariables = std::vector<std::vector<PairVariable>>;
Index count_active(const JointVariables& variables);
// All pairs of a class that a sample has and one that it does not have.
double count_pairs(const JointProblem& problem, Index samples);

// Scores is LinearScores, DenseScores or KernelScores and holds the weights that belong to `variables`, before and
// after.
template <class Scores>
JointSvmResult solve_joint_svm(const JointProblem& problem, Scores& scores, std::span<const double> cost,
                               JointVariables& variables, const JointSvmOptions& options, Context& ctx);

}  // namespace clade
