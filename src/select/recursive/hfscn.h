#pragma once

#include <vector>

#include "select/recursive/hirr.h"

namespace clade {

// Selection that leaves noisy samples out: the squared error gives way to
//
//   2 sum_r min(||x_r W_i - y_r||, c_i)
//
// where c_i is the residual below which the share 1 - cap of the node's samples lies; with the coupling of hirr-par.
// Minimised by weights f_r = 1/||residual|| for samples up to c_i and 0 beyond, all ones in the first iteration.
class Hfscn : public Hirr {
 public:
  Hfscn(const Coupling& coupling, double cap) : Hirr(coupling), cap_(cap) {}

  void prepare(const Problem& problem, Context& ctx) override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double fit(std::size_t i, const Matrix& w) const override;

 private:
  Vector residual_norms(std::size_t i, const Matrix& w) const;

  double cap_;
  std::vector<Vector> row_weights_;
};

}  // namespace clade
