#include "select/recursive/hirr.h"

#include <cmath>

#include "core/parallel.h"

namespace clade {
namespace {

// H W: every column without its mean.
Matrix centred(const Matrix& w) {
  return w.rowwise() - w.colwise().mean();
}

// (H W)(H W)', lower triangle.
Matrix product_of(const Matrix& w) {
  Matrix product = Matrix::Zero(w.rows(), w.rows());
  product.selfadjointView<Eigen::Lower>().rankUpdate(centred(w));
  return product;
}

}  // namespace

void Hirr::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  is_summed_.assign(problem.size(), 0);
  products_.assign(problem.size(), {});
  if (coupling_.beta == 0) return;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (!has_many_siblings(i)) continue;
    for (const std::size_t sibling : problem.siblings(i)) is_summed_[sibling] = 1;
  }
}

bool Hirr::has_many_siblings(std::size_t i) const {
  return static_cast<Index>(problem_->siblings(i).size()) * problem_->width() > problem_->features();
}

bool Hirr::has_plain_siblings(std::size_t i) const {
  const auto& parents = problem_->parents(i);
  return parents.size() == 1 && problem_->siblings(i).size() + 1 == problem_->children(parents[0]).size();
}

void Hirr::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  if (coupling_.beta == 0) return;
  if (iteration == 0) {
    parallel_for(ctx, static_cast<Index>(w.size()), 1, [&](Index i, Index) {
      const auto at = static_cast<std::size_t>(i);
      if (is_summed_[at] != 0) products_[at] = product_of(w[at]);
    });
  }
  // Totals afresh in every iteration, so that rounding does not build up.
  totals_.assign(w.size(), {});
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!has_many_siblings(i) || !has_plain_siblings(i)) continue;
    Matrix& total = totals_[problem_->parents(i)[0]];
    if (total.size() > 0) continue;
    total = products_[i];
    for (const std::size_t sibling : problem_->siblings(i)) total += products_[sibling];
  }
}

void Hirr::node_changed(std::size_t i, const Matrix& /*before*/, const Matrix& after) {
  if (is_summed_[i] == 0) return;
  Matrix product = product_of(after);
  for (const std::size_t parent : problem_->parents(i)) {
    if (totals_[parent].size() > 0) totals_[parent] += product - products_[i];
  }
  products_[i] = std::move(product);
}

Matrix Hirr::sibling_sum(std::size_t i) const {
  if (has_plain_siblings(i)) return totals_[problem_->parents(i)[0]] - products_[i];
  Matrix sum = Matrix::Zero(problem_->features(), problem_->features());
  for (const std::size_t sibling : problem_->siblings(i)) sum += products_[sibling];
  return sum;
}

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
    const auto& siblings = problem_->siblings(i);
    if (has_many_siblings(i)) {
      terms.sum = 2 * coupling_.beta * sibling_sum(i);
    } else {
      const Index width = problem_->width();
      terms.low_rank.resize(problem_->features(), static_cast<Index>(siblings.size()) * width);
      for (std::size_t k = 0; k < siblings.size(); ++k) {
        terms.low_rank.middleCols(static_cast<Index>(k) * width, width) =
            std::sqrt(2 * coupling_.beta) * centred(w[siblings[k]]);
      }
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
      const auto& siblings = problem_->siblings(i);
      if (has_many_siblings(i)) {
        // sum_s ||(H W_s)' W||^2 = <W, (sum_s products) W>
        const Matrix total = sibling_sum(i);
        sum += coupling_.beta * w[i].cwiseProduct(total.selfadjointView<Eigen::Lower>() * w[i]).sum();
      } else {
        for (const std::size_t sibling : siblings) {
          sum += coupling_.beta * (centred(w[sibling]).transpose() * w[i]).squaredNorm();
        }
      }
    }
  }
  return sum;
}

}  // namespace clade
