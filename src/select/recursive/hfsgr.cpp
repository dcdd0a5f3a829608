#include "select/recursive/hfsgr.h"

namespace clade {

std::vector<std::size_t> Hfsgr::neighbours(std::size_t i) const {
  std::vector<std::size_t> all = problem_->parents(i);
  all.insert(all.end(), problem_->children(i).begin(), problem_->children(i).end());
  return all;
}

void Hfsgr::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  for (const std::size_t other : neighbours(i)) {
    terms.add_multiple_of_identity(beta_);
    terms.right += beta_ * w[other];
    terms.square += beta_ * w[other].squaredNorm();
  }
}

double Hfsgr::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (const std::size_t parent : problem_->parents(i)) sum += beta_ * (w[i] - w[parent]).squaredNorm();
  }
  return sum;
}

}  // namespace clade
