#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/feature_tree.h>

#include <vector>

#include "math/dense.h"
#include "select/unsupervised/neighbour_graph.h"

namespace clade {

// Nodes of a feature tree as ranges of features in tree order.
struct FeatureGroups {
  struct Range {
    Index begin = 0;
    Index end = 0;
    Index size() const { return end - begin; }
  };
  std::vector<FeatureIndex> order;
  std::vector<Range> ranges;

  FeatureGroups() = default;
  explicit FeatureGroups(const FeatureTree& tree);
  Index total() const;  // features summed over all groups
};

struct HufsSettings {
  double alpha = 0.01;
  double beta = 0.01;
  double nu = 0;
  double mu = 1e-3;
  double rho = 1.1;
  double max_mu = 1e10;
  int iterations = 200;
  double tolerance = 1e-4;
};

// How far the constraints of the splitting are from being met, each relative to the size of its terms.
struct HufsResiduals {
  double fit = 0;     // E = X - U V'
  double sign = 0;    // Z = U
  double groups = 0;  // P = M V
};

// Minimises, over U with U'U = I and U >= 0 and over V,
//
//   ||X - U V'||_2,1 + beta ||V||_2,1 + alpha sum_k sum_G ||V_Gk||_2 + nu Tr(U'L U)
//
// by the alternating direction method of multipliers (S. Wang, Y. Wang, J. Tang, C. Aggarwal, S. Ranganath, H. Liu,
// Exploiting hierarchical structures for unsupervised feature selection, 2017, equations 4.9 to 4.25), with
// E = X - U V', Z = U and P = M V, where M V lists the rows of V group after group. The graph is that of S. Wang, J.
// Tang, H. Liu, Embedded unsupervised feature selection, 2015: L = D - S, and its term is split as nu Tr(Z'L U). One
// iteration, with Y1, Y2, Y3 the multipliers of Z = U, of the fit and of P = M V:
//
//   Q = X - U V' + Y2 / mu,   e_i = s_i q_i,  s_i = max(0, 1 - 1 / (mu ||q_i||))                            (4.13)
//   v_j = shrink(k_j + sum of the rows of P + Y3 / mu that are copies of v_j, beta / mu) / (1 + copies)     (4.17)
//         with K = (X - E + Y2 / mu)'U
//   U = S R' from the singular value decomposition of N = Y1 / mu + Z - nu L Z / mu + (X - E + Y2 / mu) V   (4.19)
//   P_Gk = shrink(V_Gk - Y3_Gk / mu, alpha / mu)                                                            (4.22)
//   Z = max(U - (Y1 + nu L U) / mu, 0)                                                                      (4.24)
//   Y1 += mu (Z - U),  Y2 += mu (X - U V' - E),  Y3 += mu (P - M V),  mu = min(rho mu, max_mu)              (4.25)
//
// where shrink(a, t) = max(0, 1 - t / ||a||) a.
//
// Of the n x p matrices only X and Q are kept. E and Y2 follow from Q and from U and V before and after an iteration:
// with B = X - E + Y2 / mu = U V' + (1 - s_i) q_i,
//
//   K = V + Q'diag(1 - s) U,   B V+ = U V'V+ + diag(1 - s) Q V+,   Y2+ / mu = B - U+ V+',
//   Q+ = X - U+ V+' + (mu / mu+) (U V' + diag(1 - s) Q - U+ V+').
//
// So an iteration passes through X once and through Q twice, in blocks of samples that fit the cache. O(n p K), without
// a p x p matrix; X may be sparse, Q is dense.
class HufsSolver {
 public:
  // `start` is U, with a column per sample and a row per cluster; its rows are orthonormal. Initially V = X'U, Z = U, P
  // = M V, and the multipliers are 0. If alpha is 0, the groups are left out; if nu is 0, the graph is, and there need
  // be none. Data and graph must outlive the solver.
  HufsSolver(const Dataset& data, FeatureGroups groups, Matrix start, const HufsSettings& settings, Context& ctx,
             const NeighbourGraph* graph = nullptr);

  // Iterates until all residuals are below the tolerance, or as often as the settings allow.
  void run();
  const std::vector<double>& objectives() const { return objectives_; }       // per iteration
  const std::vector<HufsResiduals>& residuals() const { return residuals_; }  // per iteration
  bool has_converged() const { return has_converged_; }

  // The steps of an iteration, in this order. The first also measures the result of the previous iteration.
  void update_error();
  void update_features();
  void update_clusters();
  void update_groups();
  void update_signs();
  void update_multipliers();

  const Matrix& features() const { return v_; }      // V, a row per feature
  const Matrix& clusters() const { return u_; }      // U, a column per sample
  const Matrix& group_copies() const { return p_; }  // P
  const Matrix& signs() const { return z_; }         // Z, a column per sample
  const Matrix& sign_multiplier() const { return y1_; }
  const Matrix& group_multiplier() const { return y3_; }
  double mu() const { return mu_; }
  Matrix error() const;           // E, a column per sample; after update_error()
  Matrix fit_multiplier() const;  // Y2, a column per sample; after update_multipliers()

  // Bytes that the solver takes besides the data.
  static double memory(Index samples, Index features, Index clusters, Index group_features);

 private:
  // Sums over samples.
  struct Measures {
    double fit = 0;       // ||X - U V'||_2,1
    double residual = 0;  // ||X - U V' - E||^2
  };
  template <bool moves_on>
  Measures sweep();
  template <bool moves_on>
  Measures sweep_block(Index begin, Index end, MatrixRef products);
  void record(const Measures& measures);
  bool is_within_tolerance() const;
  double group_penalty() const;
  bool has_graph() const { return settings_.nu > 0; }
  Vector in_tree_order(Index cluster) const;  // a column of V

  const Dataset& data_;
  FeatureGroups groups_;
  const NeighbourGraph* graph_;
  std::vector<Index> group_begin_;  // where each group begins in P
  Vector copies_;                   // of each feature in P
  HufsSettings settings_;
  Context& ctx_;
  double mu_;
  double x_square_ = 0;  // ||X||^2

  Matrix u_, v_, z_, p_, y1_, y3_;
  bool is_first_ = true;  // there is no Q yet
  double mu_before_ = 0;  // of the last Q
  Matrix u_before_, v_before_;
  Matrix q_;     // a column per sample
  Vector kept_;  // 1 - s_i
  // Q'diag(1 - s) U, summed over the samples of each task.
  std::vector<Matrix> partial_k_;

  std::vector<double> objectives_;
  std::vector<HufsResiduals> residuals_;
  Measures measures_;         // of the last sweep
  HufsResiduals constraint_;  // sign and groups after the last iteration
  bool has_converged_ = false;
};

}  // namespace clade
