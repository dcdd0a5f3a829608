#pragma once

#include "select/recursive/method.h"

namespace clade {

// Recursive regularisation over a class hierarchy (Zhao, Hu, Zhu, Wang 2019):
//
//   hier-fs    nothing: every node on its own
//   hirr-par   alpha sum_i sum_{p above i} ||W_i - W_p||^2                  parent and child share features
//   hirr-sib   beta sum_i sum_{s beside i} ||(H W_s)' W_i||^2               siblings do not; H subtracts column means
//   hirr-fam   both
//
// over internal nodes. As published, hirr-par's root and every other node's children are left out of the update.
class Hirr : public CoupledMethod {
 public:
  struct Coupling {
    double alpha = 0;
    double beta = 0;
    bool couples_root = true;      // with its children
    bool couples_children = true;  // other nodes with theirs
  };
  explicit Hirr(const Coupling& coupling) : coupling_(coupling) {}

  void prepare(const Problem& problem, Context& ctx) override;
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  std::optional<double> multiple_of_identity(std::size_t i) const override;
  bool is_uncoupled() const override { return coupling_.alpha == 0 && coupling_.beta == 0; }
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void node_changed(std::size_t i, const Matrix& before, const Matrix& after) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;

 private:
  std::vector<std::size_t> pulled_towards(std::size_t i) const;
  // How a node's siblings enter its system.
  enum class Siblings {
    kNone,
    kLowRank,  // their weights side by side, if these have few columns
    kTotal,    // the sum over all children of the parent, minus the node itself: one sum serves them all
    kSum,      // a sum of products that each sibling keeps: many columns, and several parents
  };
  Siblings siblings_form(std::size_t i) const;
  // Do the siblings' weights together have more columns than there are features?
  bool has_many_siblings(std::size_t i) const;
  // Are the siblings all other children of the one parent?
  bool has_plain_siblings(std::size_t i) const;
  Matrix product_of(const Matrix& w) const;
  Matrix sibling_sum(std::size_t i) const;
  void add_siblings(std::size_t i, const Weights& w, SystemTerms& terms) const;
  double overlap(std::size_t i, const Weights& w) const;

  Coupling coupling_;
  std::vector<Siblings> form_;
  std::vector<char> is_summed_;   // is the node a sibling of a kSum node?
  std::vector<Matrix> products_;  // (H W)(H W)' of those nodes, lower triangle
  std::vector<Matrix> totals_;    // for parents of kTotal nodes: the sum of their children's products
};

}  // namespace clade
