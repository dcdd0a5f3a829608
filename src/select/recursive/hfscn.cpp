// Selection that leaves out noisy samples (HFSCN): the squared error is replaced by
//
//   2 sum_r min(||x_r W_i - y_r||, c_i)
//
// where c_i is the residual below which a share 1 - cap of the node's samples lies; the coupling is that of hirr-par.
// Minimised by weights f_r = 1/||residual|| for samples up to c_i and 0 beyond; all are 1 in the first iteration. The
// published program already weights the first iteration, by the residuals of the start.

#include <limits>
#include <vector>

#include "core/parallel.h"
#include "select/recursive/coupled_selector.h"
#include "select/recursive/hirr.h"
#include "select/recursive/weighted_rows.h"

namespace clade {
namespace {

class Hfscn : public Hirr {
 public:
  Hfscn(const Coupling& coupling, double cap, bool weights_first)
      : Hirr(coupling), cap_(cap), weights_first_(weights_first) {}

  void prepare(const Problem& problem, Context& ctx) override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double fit(std::size_t i, const Matrix& w) const override;
  // Weighted samples have matrices of their own.
  std::optional<double> multiple_of_identity(std::size_t /*i*/) const override { return std::nullopt; }

 private:
  Vector residual_norms(std::size_t i, const Matrix& w) const;

  double cap_;
  bool weights_first_;  // weight the first iteration, too
  std::vector<Vector> row_weights_;
};

void Hfscn::prepare(const Problem& problem, Context& ctx) {
  Hirr::prepare(problem, ctx);
  row_weights_.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) row_weights_.push_back(Vector::Ones(problem.node(i).samples()));
}

Vector Hfscn::residual_norms(std::size_t i, const Matrix& w) const {
  return (fitted_values(*problem_, i, w) - label_matrix(problem_->node(i), problem_->width())).rowwise().norm();
}

void Hfscn::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  Hirr::begin_iteration(iteration, w, ctx);
  if (iteration == 0 && !weights_first_) return;
  parallel_for(ctx, static_cast<Index>(w.size()), 1, [&](Index node, Index) {
    const auto i = static_cast<std::size_t>(node);
    if (problem_->node(i).samples() == 0) return;
    const Vector norms = residual_norms(i, w[i]);
    const double limit = smallest_share(norms, 1 - cap_);
    for (Index r = 0; r < norms.size(); ++r) {
      row_weights_[i](r) = norms(r) <= limit ? 1 / std::max(norms(r), std::numeric_limits<double>::epsilon()) : 0;
    }
  });
}

void Hfscn::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  Hirr::add_terms(i, w, terms);
  weight_rows(*problem_, i, row_weights_[i], label_matrix(problem_->node(i), problem_->width()), false, terms, *ctx_);
}

double Hfscn::fit(std::size_t i, const Matrix& w) const {
  if (problem_->node(i).samples() == 0) return 0;
  const Vector norms = residual_norms(i, w);
  return 2 * norms.cwiseMin(smallest_share(norms, 1 - cap_)).sum();
}

class HfscnSelector final : public CoupledSelector {
 public:
  HfscnSelector()
      : CoupledSelector("hfscn", {.has_own_loss = true, .smallest_norm = std::numeric_limits<double>::epsilon()}) {}

 protected:
  void describe_own(ParameterTable& v) override {
    v("alpha", alpha_, nonnegative(), "weight of the pull between parent and child");
    v("cap", cap_, between(0, 0.99), "share of the samples that is left out as noise");
  }
  std::unique_ptr<CoupledMethod> make_method() const override {
    const bool as_published = common_.as_published;
    return std::make_unique<Hfscn>(
        Hirr::Coupling{.alpha = alpha_, .couples_root = !as_published, .couples_children = !as_published}, cap_,
        as_published);
  }
  void require_convex() const override { throw leaves_samples_out(); }

 private:
  double alpha_ = 1;
  double cap_ = 0.1;
};

}  // namespace

std::unique_ptr<Selector> make_hfscn() {
  return std::make_unique<HfscnSelector>();
}

}  // namespace clade
