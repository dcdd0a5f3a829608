#include "select/recursive/hirr.h"

#include <cmath>

namespace clade {
namespace {

// H W: every column without its mean.
Matrix centred(const Matrix& w) {
  return w.rowwise() - w.colwise().mean();
}

}  // namespace

std::vector<std::size_t> Hirr::neighbours(std::size_t i) const {
  std::vector<std::size_t> all;
  const auto add = [&all](const std::vector<std::size_t>& some) { all.insert(all.end(), some.begin(), some.end()); };
  if (coupling_.alpha > 0) {
    add(problem_->parents(i));
    add(problem_->children(i));
  }
  if (coupling_.beta > 0) add(problem_->siblings(i));
  return all;
}

std::vector<std::size_t> Hirr::pulled_towards(std::size_t i) const {
  std::vector<std::size_t> nodes = problem_->parents(i);
  const bool is_root = nodes.empty();
  if (is_root ? coupling_.couples_root : coupling_.couples_children) {
    nodes.insert(nodes.end(), problem_->children(i).begin(), problem_->children(i).end());
  }
  return nodes;
}

void Hirr::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  if (coupling_.alpha > 0) {
    for (const std::size_t other : pulled_towards(i)) {
      terms.add_multiple_of_identity(coupling_.alpha);
      terms.right += coupling_.alpha * w[other];
      terms.square += coupling_.alpha * w[other].squaredNorm();
    }
  }
  if (coupling_.beta > 0) {
    for (const std::size_t sibling : problem_->siblings(i)) {
      terms.add_low_rank(std::sqrt(2 * coupling_.beta) * centred(w[sibling]));
    }
  }
}

double Hirr::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (coupling_.alpha > 0) {
      for (const std::size_t parent : problem_->parents(i)) sum += coupling_.alpha * (w[i] - w[parent]).squaredNorm();
    }
    if (coupling_.beta > 0) {
      for (const std::size_t sibling : problem_->siblings(i)) {
        sum += coupling_.beta * (centred(w[sibling]).transpose() * w[i]).squaredNorm();
      }
    }
  }
  return sum;
}

}  // namespace clade
