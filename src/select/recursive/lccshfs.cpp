#include "select/recursive/lccshfs.h"

#include <cmath>

#include "core/parallel.h"

namespace clade {

void Lccshfs::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  std::vector<std::vector<Index>> sets;
  const Taxonomy& taxonomy = problem.data().taxonomy();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeTable& table = *problem.node(i).table;
    if (similarity_ == Similarity::kSamples) {
      sets.push_back(table.rows);
    } else {
      const std::vector<NodeId> above = taxonomy.ancestors(table.node);
      sets.emplace_back(above.begin(), above.end());
      sets.back().push_back(table.node);
    }
  }
  find_similar(sets, similarity_ == Similarity::kSamples ? problem.data().samples() : taxonomy.size());
}

void Lccshfs::find_similar(const std::vector<std::vector<Index>>& sets, Index elements) {
  std::vector<std::vector<std::size_t>> holders(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Index element : sets[i]) holders[static_cast<std::size_t>(element)].push_back(i);
  }
  similar_.assign(sets.size(), {});
  std::vector<double> common(sets.size(), 0);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::fill(common.begin(), common.end(), 0);
    for (const Index element : sets[i]) {
      for (const std::size_t j : holders[static_cast<std::size_t>(element)]) ++common[j];
    }
    for (std::size_t j = 0; j < sets.size(); ++j) {
      if (j == i || common[j] == 0) continue;
      const double sizes = static_cast<double>(sets[i].size()) * static_cast<double>(sets[j].size());
      similar_[i].push_back({j, common[j] / std::sqrt(sizes)});
    }
  }
}

std::vector<std::size_t> Lccshfs::neighbours(std::size_t i) const {
  std::vector<std::size_t> all;
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    if (j != i) all.push_back(j);
  }
  return all;
}

void Lccshfs::begin_iteration(int /*iteration*/, const Weights& w, Context& /*ctx*/) {
  // Afresh in every iteration, so that rounding does not build up.
  total_ = w[0];
  for (std::size_t j = 1; j < w.size(); ++j) total_ += w[j];
}

void Lccshfs::node_changed(std::size_t /*i*/, const Matrix& before, const Matrix& after) {
  total_ += after - before;
}

Matrix Lccshfs::push(std::size_t i, const Weights& w, const Matrix& total) const {
  Matrix sum = total - w[i];
  // By blocks of columns, so that the block stays in the cache while all similar nodes pass by.
  constexpr Index kColumnsPerTask = 8;
  parallel_for(*ctx_, sum.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    auto block = sum.middleCols(begin, end - begin);
    for (const Similar& other : similar_[i]) block -= other.cosine * w[other.node].middleCols(begin, end - begin);
  });
  return sum;
}

void Lccshfs::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  terms.right -= alpha_ * push(i, w, total_);
}

double Lccshfs::value(const Weights& w) const {
  Matrix total = w[0];
  for (std::size_t j = 1; j < w.size(); ++j) total += w[j];
  // sum_ij C_ij <W_i, W_j> over i != j = ||total||^2 - sum_i ||W_i||^2 - sum_ij S_ij <W_i, W_j>, each pair once.
  const double similar = parallel_reduce(
      *ctx_, static_cast<Index>(w.size()), 16, 0.0,
      [&](Index begin, Index end) {
        double part = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          part += w[i].squaredNorm();
          for (const Similar& other : similar_[i]) {
            if (other.node > i) part += 2 * other.cosine * w[i].cwiseProduct(w[other.node]).sum();
          }
        }
        return part;
      },
      [](double& sum, double part) { sum += part; });
  return alpha_ * (total.squaredNorm() - similar);
}

}  // namespace clade
