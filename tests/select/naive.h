#pragma once

#include <clade/dataset.h>

#include <Eigen/Core>
#include <string>
#include <vector>

// The methods of the coupled family straight from their formulas: dense inverses, full sums, no shared code.
namespace clade::testing {

using NaiveMatrix = Eigen::MatrixXd;

struct NaiveNode {
  NodeId node;
  NaiveMatrix x;
  NaiveMatrix y;  // padded
  Index classes;
  std::vector<std::size_t> parents, children, siblings;
};

struct NaiveProblem {
  std::vector<NaiveNode> nodes;
  Index features;
  Index width = 0;
};

NaiveProblem naive_problem(const Dataset& data);

struct NaiveSettings {
  std::string method;
  double lambda = 10, alpha = 1, beta = 1, cap = 0.1, power = 2;
  int iterations = 10;
  bool as_published = false, ancestors = false, psd = false;
};

NaiveMatrix naive_centre(const NaiveMatrix& w);
double naive_similarity(const NaiveProblem& problem, const Dataset& data, std::size_t i, std::size_t j, bool ancestors);
double naive_kept(std::vector<double> values, double share);

// The published order: the root, then internal nodes as they are first named as a parent. Inputs of the tests name
// nodes n0, n1, ...
std::vector<std::size_t> naive_order(const NaiveProblem& problem, const Dataset& data, bool as_published);

// Weights of all nodes after the iterations, from `w`.
std::vector<NaiveMatrix> naive_solve(const NaiveProblem& problem, const Dataset& data, std::vector<NaiveMatrix> w,
                                     const NaiveSettings& s);

}  // namespace clade::testing
