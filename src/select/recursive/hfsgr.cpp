// Hierarchical feature selection with graph regularisation: every node is pulled towards its internal neighbours, above
// and below:  beta sum over edges between internal nodes of ||W_i - W_k||^2.

#include "select/recursive/coupled_selector.h"

namespace clade {
namespace {

class Hfsgr : public CoupledMethod {
 public:
  explicit Hfsgr(double beta) : beta_(beta) {}
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;

 private:
  double beta_;
};

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

class HfsgrSelector final : public CoupledSelector {
 public:
  HfsgrSelector() : CoupledSelector("hfsgr", {.root_starts_first = true}) { common_.lambda = 1; }

 protected:
  void describe_own(ParameterTable& v) override {
    v("beta", beta_, nonnegative(), "weight of the pull between neighbours in the hierarchy");
  }
  std::unique_ptr<CoupledMethod> make_method() const override { return std::make_unique<Hfsgr>(beta_); }
  bool can_share_nodes() const override { return true; }

 private:
  double beta_ = 1;
};

}  // namespace

std::unique_ptr<Selector> make_hfsgr() {
  return std::make_unique<HfsgrSelector>();
}

}  // namespace clade
