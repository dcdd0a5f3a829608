#pragma once

#include "select/recursive/method.h"

namespace clade {

// Hierarchical feature selection with graph regularisation: every node is pulled towards its internal neighbours, above
// and below:  beta sum over edges between internal nodes of ||W_i - W_k||^2.
class Hfsgr : public CoupledMethod {
 public:
  explicit Hfsgr(double beta) : beta_(beta) {}
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;

 private:
  double beta_;
};

}  // namespace clade
