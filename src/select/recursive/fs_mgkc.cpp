// Multi-granularity knowledge coordination (FS-MGKC): per node
//
//   alpha l_i ||X_i W_i||^2 + beta tr(W_i' R_i W_i),   l_i = sum_k M_ik,
//
// M is e for parent and child, 1/e for siblings and 0 elsewhere, over internal nodes; R_i = H X_i'X_i H, where H
// subtracts means. The paper has the distances between the columns of X_i for R_i: these have a zero diagonal, so the
// system can be indefinite if beta is large. As published, M is 1 elsewhere and on the diagonal, l_i leaves out the
// root's column, and R_i has squared distances. fs-base, fs-mc and fs-dr are the cases alpha = beta = 0, beta = 0, and
// alpha = 0.

#include <cmath>
#include <numbers>
#include <vector>

#include "core/parallel.h"
#include "select/recursive/coupled_selector.h"

namespace clade {
namespace {

enum class Redundancy {
  kAuto,       // kPsd; as published kDistances
  kDistances,  // Euclidean distances between features, as the paper has it: not positive semidefinite
  kPsd,        // the double-centred similarity instead, which is positive semidefinite
};
constexpr Choice<Redundancy> kRedundancyWords[] = {
    {Redundancy::kAuto, "auto"}, {Redundancy::kDistances, "distances"}, {Redundancy::kPsd, "psd"}};

class FsMgkc : public CoupledMethod {
 public:
  struct Coupling {
    double alpha = 10;
    double beta = 1;
    Redundancy redundancy = Redundancy::kPsd;
    bool as_published = false;
  };
  explicit FsMgkc(const Coupling& coupling) : coupling_(coupling) {}

  void prepare(const Problem& problem, Context& ctx) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;
  bool is_uncoupled() const override { return coupling_.alpha == 0 && coupling_.beta == 0; }

 private:
  double link_sum(std::size_t i) const;
  Matrix distance_matrix(std::size_t i, Context& ctx) const;
  // For kPsd: R = C C', where C is X' with the mean of each column removed.
  Matrix centred_columns(std::size_t i) const;

  Coupling coupling_;
  std::vector<double> link_;
  std::vector<Matrix> full_;  // beta R_i, both triangles; empty without beta, and for kPsd
};

void FsMgkc::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  link_.assign(problem.size(), 0);
  full_.assign(problem.size(), {});
  for (std::size_t i = 0; i < problem.size(); ++i) link_[i] = link_sum(i);
  if (coupling_.beta == 0 || coupling_.redundancy == Redundancy::kPsd) return;
  parallel_for(ctx, static_cast<Index>(problem.size()), 1, [&](Index i, Index) {
    const auto at = static_cast<std::size_t>(i);
    full_[at] = coupling_.beta * distance_matrix(at, ctx);
  });
}

double FsMgkc::link_sum(std::size_t i) const {
  const auto relatives = static_cast<double>(problem_->parents(i).size() + problem_->children(i).size());
  const auto siblings = static_cast<double>(problem_->siblings(i).size());
  const double sum = relatives * std::numbers::e + siblings / std::numbers::e;
  if (!coupling_.as_published) return sum;
  // The root is node 0. Its column is e for its children and 1 for itself and all others.
  const auto others = static_cast<double>(problem_->size()) - relatives - siblings;
  const auto& above = problem_->parents(i);
  const bool is_child = std::find(above.begin(), above.end(), std::size_t{0}) != above.end();
  return sum + others - (is_child ? std::numbers::e : 1);
}

Matrix FsMgkc::distance_matrix(std::size_t i, Context& ctx) const {
  Matrix gram = gram_of(problem_->node(i), problem_->features(), ctx);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  const Vector squares = gram.diagonal();
  Matrix distances = -2 * gram;
  distances.colwise() += squares;
  distances.rowwise() += squares.transpose();
  distances = distances.cwiseMax(0);
  distances.diagonal().setZero();
  return coupling_.as_published ? distances : Matrix(distances.cwiseSqrt());
}

Matrix FsMgkc::centred_columns(std::size_t i) const {
  const Matrix columns = problem_->columns(i, 0, problem_->node(i).samples());
  return columns.rowwise() - columns.colwise().mean();
}

void FsMgkc::add_terms(std::size_t i, const Weights& /*w*/, SystemTerms& terms) const {
  terms.gram_factor += coupling_.alpha * link_[i];
  if (coupling_.beta == 0) return;
  if (coupling_.redundancy == Redundancy::kDistances) {
    terms.full = &full_[i];
  } else if (problem_->node(i).is_tall) {
    // C C' = H G H: X'X with the means removed.
    Matrix gram = problem_->node(i).gram.selfadjointView<Eigen::Lower>();
    const Vector means = gram.rowwise().mean();
    gram.colwise() -= means;
    gram.rowwise() -= means.transpose();
    gram.array() += means.mean();
    terms.sum = coupling_.beta * gram;
  } else {
    terms.low_rank = std::sqrt(coupling_.beta) * centred_columns(i);
  }
}

double FsMgkc::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const NodeProblem& node = problem_->node(i);
    if (coupling_.alpha > 0) {
      // ||X W||^2 from ||X W - Y||^2 = ||X W||^2 - 2 <W, X'Y> + ||Y||^2.
      const double fitted =
          squared_error(node, w[i], *ctx_) + 2 * w[i].cwiseProduct(node.right).sum() - node.squared_labels;
      sum += coupling_.alpha * link_[i] * fitted;
    }
    if (coupling_.beta == 0) continue;
    if (coupling_.redundancy == Redundancy::kDistances) {
      sum += w[i].cwiseProduct(full_[i] * w[i]).sum();
    } else {
      // tr(W' C C' W) = ||X H W||^2.
      const Matrix centred = w[i].rowwise() - w[i].colwise().mean();
      const double fitted =
          squared_error(node, centred, *ctx_) + 2 * centred.cwiseProduct(node.right).sum() - node.squared_labels;
      sum += coupling_.beta * fitted;
    }
  }
  return sum;
}

// With both terms, one of them, or neither.
class FsMgkcSelector final : public CoupledSelector {
 public:
  FsMgkcSelector(std::string_view name, bool has_links, bool has_redundancy)
      : CoupledSelector(name, {.root_starts_first = true}), has_links_(has_links), has_redundancy_(has_redundancy) {}

  std::vector<std::string_view> penalties() const override {
    return has_redundancy_ ? std::vector<std::string_view>{"lambda", "beta"} : CoupledSelector::penalties();
  }

 protected:
  void describe_own(ParameterTable& v) override {
    if (has_links_) v("alpha", alpha_, nonnegative(), "weight of the links of the hierarchy in the fit");
    if (!has_redundancy_) return;
    v("beta", beta_, nonnegative(), "weight of the redundancy between features");
    v("redundancy", redundancy_, kRedundancyWords,
      "the positive semidefinite form, or distances between features, which can make the system indefinite; auto: psd, "
      "with `as-published` distances");
  }
  void settle(const Dataset& /*data*/) override { redundancy_ = redundancy(); }
  std::unique_ptr<CoupledMethod> make_method() const override {
    return std::make_unique<FsMgkc>(FsMgkc::Coupling{.alpha = has_links_ ? alpha_ : 0,
                                                     .beta = has_redundancy_ ? beta_ : 0,
                                                     .redundancy = redundancy(),
                                                     .as_published = common_.as_published});
  }
  KeptMatrices kept_matrices(const SelectionInput& /*input*/) const override {
    if (!has_distances()) return {};
    return {.one_per_node = true, .needing_less = "`redundancy` psd"};
  }
  // Its own parts of the objective are made from the data of all nodes.
  bool can_share_nodes() const override { return !has_links_ && !has_redundancy_; }
  void require_convex() const override {
    if (has_distances()) {
      throw not_exact("distances between features are not convex",
                      "expected `redundancy` psd, or `solver` irls without `path` and `select-lambda`");
    }
  }
  std::string_view why_indefinite() const override {
    if (!has_redundancy_) return CoupledSelector::why_indefinite();
    return redundancy() == Redundancy::kPsd ? "a beta of such size is lost to rounding"
                                            : "beta is large for these data, and `redundancy` psd is the sound form";
  }

 private:
  Redundancy redundancy() const {
    if (redundancy_ != Redundancy::kAuto) return redundancy_;
    return common_.as_published ? Redundancy::kDistances : Redundancy::kPsd;
  }
  bool has_distances() const { return has_redundancy_ && beta_ > 0 && redundancy() == Redundancy::kDistances; }

  bool has_links_;
  bool has_redundancy_;
  double alpha_ = 10;
  double beta_ = 1;
  Redundancy redundancy_ = Redundancy::kAuto;
};

}  // namespace

std::unique_ptr<Selector> make_fs_mgkc() {
  return std::make_unique<FsMgkcSelector>("fs-mgkc", true, true);
}
std::unique_ptr<Selector> make_fs_base() {
  return std::make_unique<FsMgkcSelector>("fs-base", false, false);
}
std::unique_ptr<Selector> make_fs_mc() {
  return std::make_unique<FsMgkcSelector>("fs-mc", true, false);
}
std::unique_ptr<Selector> make_fs_dr() {
  return std::make_unique<FsMgkcSelector>("fs-dr", false, true);
}

}  // namespace clade
