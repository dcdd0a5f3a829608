#pragma once

#include <vector>

#include "select/recursive/method.h"

namespace clade {

enum class Redundancy {
  kDistances,  // Euclidean distances between features, as the paper has it: not positive semidefinite
  kPsd,        // the double-centred similarity instead, which is
};

// Multi-granularity knowledge coordination (FS-MGKC): per node
//
//   alpha l_i ||X_i W_i||^2 + beta tr(W_i' R_i W_i),   l_i = sum_k M_ik,
//
// M has e for parent and child, 1/e for siblings, 0 elsewhere, over internal nodes; R_i holds the distances between the
// columns of X_i. As published: M has 1 elsewhere and on the diagonal, l_i leaves the root's column out, and R_i has
// squared distances. fs-base, fs-mc and fs-dr are the cases alpha = beta = 0, beta = 0, and alpha = 0.
//
// R_i has a zero diagonal, so the system can be indefinite where beta is large.
class FsMgkc : public CoupledMethod {
 public:
  struct Coupling {
    double alpha = 10;
    double beta = 1;
    Redundancy redundancy = Redundancy::kDistances;
    bool as_published = false;
  };
  explicit FsMgkc(const Coupling& coupling) : coupling_(coupling) {}

  void prepare(const Problem& problem, Context& ctx) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;

 private:
  double link_sum(std::size_t i) const;
  Matrix distance_matrix(std::size_t i, Context& ctx) const;
  // kPsd: R = C C' with the columns of X' without their means.
  Matrix centred_columns(std::size_t i) const;

  Coupling coupling_;
  std::vector<double> link_;
  std::vector<Matrix> full_;  // beta R_i, both triangles; empty without beta, and for kPsd
};

}  // namespace clade
