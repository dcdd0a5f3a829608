#pragma once

#include <clade/context.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/joint/joint_svm.h"
#include "classify/joint/joint_training.h"

namespace clade {

struct CostTrial {
  double c = 0;
  double loss = 0;  // mean top loss of the held-out samples
};

// "0.1,1,10" as ascending numbers. Throws Error (kInput) unless all are positive.
std::vector<double> parse_costs(const std::string& text);

// The mean loss of the best class, over samples held out in turn, for every C of an ascending grid. The loss of a
// sample is that of taking its farthest class for the best class, or 0 if the best class is one of its own (4.22).
// Within a fold, the variables of one C are the start for the next. `learnt_from` gives the data of all samples as
// learnt from those that are not held out; empty: the data does not depend on them.
using FoldData = std::function<JointData(const std::vector<Index>& samples)>;
template <class T>
std::vector<CostTrial> try_costs(const JointData& data, const FoldData& learnt_from, std::span<const double> weight,
                                 std::span<const double> grid, int folds, const JointSvmOptions& options, Context& ctx);

}  // namespace clade
