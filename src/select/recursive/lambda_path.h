#pragma once

#include <clade/context.h>

#include <functional>
#include <memory>
#include <vector>

#include "select/recursive/exact.h"

namespace clade {

// As many values of lambda as `values` says, from `largest` down to `largest * ratio`, in equal proportions.
std::vector<double> lambda_grid(double largest, int values, double ratio);

struct LambdaPath {
  Weights weights;                          // at the last lambda
  std::vector<double> objective;            // at each lambda
  std::vector<std::vector<double>> enters;  // per node and feature, the first lambda with a weight; 0: none
  double gap = 0;                           // the largest along the path
  bool has_converged = true;                // at every lambda
};

// Exact solutions for a falling sequence of lambdas, the first started from zero, each other one from the one before.
// `visit` gets the number of each lambda and the weights there. The method must have been prepared.
LambdaPath follow_path(const Problem& problem, CoupledMethod& method, const std::vector<double>& lambdas,
                       const ExactOptions& options, const std::function<void(std::size_t, const Weights&)>& visit,
                       Context& ctx);

// Cross-validation: for every lambda, the squared error ||X W - Y||^2 of samples that W was not fitted to, summed over
// nodes and folds. `fold_of_sample` has the numbers 0 .. folds - 1. The squared error grows with the number of samples,
// but the penalty does not, so a fold's lambda is scaled by the share of the samples that it is fitted to.
using MakeMethod = std::function<std::unique_ptr<CoupledMethod>()>;
std::vector<double> held_out_errors(const Dataset& data, const std::vector<NodeTable>& tables, const MakeMethod& make,
                                    const std::vector<double>& lambdas, const std::vector<int>& fold_of_sample,
                                    const ExactOptions& options, Context& ctx);

}  // namespace clade
