#pragma once

#include <memory>
#include <vector>

#include "select/recursive/method.h"

namespace clade {

// A coupled method with a logistic loss instead of ||X W - Y||^2:
//
//   sum_r log sum_c exp(x_r w_c) - x_r w_{y_r}             every sample lies below one child: multinomial
//   sum_r sum_c log(1 + exp(x_r w_c)) - y_rc x_r w_c       some lie below several: one regression per child
//
// over the node's own children, and h/2 ||x_r w_c||^2 for padding columns, whose targets are 0. With the residuals E =
// P
// - Y of the probabilities P at V (h X V for padding), it is at most, up to a constant,
//
//   h/2 ||X W - Z||^2,   Z = X V - E / h,   h = 1/2 (multinomial: the Hessian is at most (I - 11'/K) / 2) or 1/4,
//
// with equality at W = V. A node's weights are therefore the solution of a least-squares system with the same matrix
// for every Z: it is factored once per iteration and solved for a few Z, each made from the weights before. The
// objective never rises.
class LogisticLoss : public CoupledMethod {
 public:
  explicit LogisticLoss(std::unique_ptr<CoupledMethod> coupling) : coupling_(std::move(coupling)) {}

  void prepare(const Problem& problem, Context& ctx) override;
  // To 0, where all children are equally likely: equal weights of all children would not change the multinomial loss,
  // so that only the penalty would bring them down, slowly.
  void move_start(Weights& w) const override;
  std::vector<std::size_t> neighbours(std::size_t i) const override { return coupling_->neighbours(i); }
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override {
    coupling_->begin_iteration(iteration, w, ctx);
  }
  void node_changed(std::size_t i, const Matrix& before, const Matrix& after) override {
    coupling_->node_changed(i, before, after);
  }
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override { return coupling_->value(w); }
  double fit(std::size_t i, const Matrix& w) const override;

 private:
  // h of a node.
  double curvature(std::size_t i) const { return is_multinomial_[i] != 0 ? 0.5 : 0.25; }
  // Replaces the scores X V of all samples by E, and returns the loss.
  double residuals(std::size_t i, Matrix& scores) const;
  // The data of the system: h/2 X'Z of a tall node, h/2 Z of a wide one.
  Matrix data_term(std::size_t i, const Matrix& w) const;

  std::unique_ptr<CoupledMethod> coupling_;
  std::vector<char> is_multinomial_;
};

}  // namespace clade
