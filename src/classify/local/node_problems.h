#pragma once

#include <clade/context.h>

#include <cstdint>
#include <span>
#include <vector>

#include "classify/joint/joint_svm.h"
#include "classify/linear/training_rows.h"
#include "data/node_table.h"

namespace clade {

// For methods that need one child per row: a row with several children is repeated for each, its weight divided.
struct SharedOut {
  TrainingRows own_rows;  // filled only if some row has several
  const TrainingRows* rows = nullptr;
  std::vector<std::int32_t> label;
  std::vector<double> weight;
};
void share_out(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight, SharedOut& result);

// The SVM over all children of a node at once (Crammer and Singer 2001; with several children per row, each of them
// must score above every other child): the flat, linear case of joint_svm.h.
class SiblingSvm {
 public:
  // `bias` is the value of a constant feature; 0: none.
  SiblingSvm(std::vector<NodeId> children, SampleClasses labels, const TrainingRows& rows, double bias);
  SiblingSvm(const SiblingSvm&) = delete;  // the scores refer to the rows
  SiblingSvm& operator=(const SiblingSvm&) = delete;

  // c_i = c weight_i; without weights, all are 1.
  JointSvmResult solve(double c, std::span<const double> weight, const JointSvmOptions& options, Context& ctx);

  LinearWeights weights() const;
  const JointProblem& problem() const { return problem_; }
  const LinearScores<double>& scores() const { return scores_; }

 private:
  JointProblem problem_;
  Index width_;
  double bias_;
  TrainingRows rows_;
  LinearScores<double> scores_;
};

}  // namespace clade
