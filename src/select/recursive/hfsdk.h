#pragma once

#include <vector>

#include "select/recursive/method.h"

namespace clade {

// Selection with slack, an intercept and a cap on outliers. Per node
//
//   sum_r min(||x_r W + b - z_r||^2, c)^(p/2) + beta ||W - mean of the children's W||^2
//
// where z = y + y max(y (x W + b - y), 0) lets a sample lie beyond its class's target, b has no penalty, and c is the
// value below which the share `kept` of the squared residuals lies; c stays what it is after 40 % of the iterations. As
// published no node counts as having children.
class Hfsdk : public CoupledMethod {
 public:
  struct Settings {
    double beta = 1;
    double power = 2;
    double kept = 0.8;
    int iterations = 40;
    bool has_children = true;
  };
  explicit Hfsdk(const Settings& settings) : settings_(settings) {}

  void prepare(const Problem& problem, Context& ctx) override;
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;
  double fit(std::size_t i, const Matrix& w) const override;

 private:
  struct NodeState {
    Vector row_weights;
    Matrix targets;
    double cap = 0;
  };
  Matrix children_mean(std::size_t i, const Weights& w) const;
  // X W + b with the b that suits the state best.
  Matrix fitted(std::size_t i, const Matrix& w) const;
  void update(std::size_t i, const Matrix& w, bool moves_cap);

  Settings settings_;
  std::vector<NodeState> states_;
};

}  // namespace clade
