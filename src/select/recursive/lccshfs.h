#pragma once

#include <vector>

#include "select/recursive/method.h"

namespace clade {

enum class Similarity {
  kSamples,    // cosine of the nodes' indicators over training samples: n_ij / sqrt(n_i n_j)
  kAncestors,  // cosine of their indicators over nodes: each with its ancestors
};

// Label correlation, common and specific features (Lin, Bai, Zhao et al. 2022): nodes whose classes are unlike are
// pushed towards unlike weights,
//
//   alpha sum_i sum_{j != i} C_ij tr(W_i' W_j),   C = 1 - S,   S the cosine similarity of the nodes.
//
// The similarity is kept sparse, and the sum over all nodes is kept up to date while nodes change, so that a node's
// right-hand side costs its similar nodes only and nothing is nodes x nodes x weights. Not bounded below where alpha is
// too large.
class Lccshfs : public CoupledMethod {
 public:
  Lccshfs(double alpha, Similarity similarity) : alpha_(alpha), similarity_(similarity) {}

  void prepare(const Problem& problem, Context& ctx) override;
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void node_changed(std::size_t i, const Matrix& before, const Matrix& after) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;

 private:
  struct Similar {
    std::size_t node;
    double cosine;
  };
  void find_similar(const std::vector<std::vector<Index>>& sets, Index elements);
  // sum over j != i of C_ij W_j, given the sum of all weights.
  Matrix push(std::size_t i, const Weights& w, const Matrix& total) const;

  double alpha_;
  Similarity similarity_;
  std::vector<std::vector<Similar>> similar_;  // others with a cosine above 0
  Matrix total_;                               // of all weights, kept up to date
};

}  // namespace clade
