// Efficient and robust feature selection by joint l2,1-norms minimisation (F. Nie, H. Huang, X. Cai, C. Ding, 2010), at
// every node on its own:
//
//   min_W  ||X W - Y||_2,1 + gamma ||W||_2,1          Y: 0/1, a column per child that has samples
//
// by reweighting: D = E = I, then repeat W = (D X'E X + gamma I)^-1 D X'E Y, D = diag(2 ||w_j||),
// E = diag(1 / (2 sqrt(||r_i||^2 + 2^-52))) with the rows w_j of W and r_i of X W - Y. From the first W on the
// objective never rises. Features are ranked by ||w_j||.
//
// The system is solved by Cholesky in its symmetric form, in the smaller of its two sizes. With S = D^(1/2), F =
// E^(1/2):
//
//   features <= samples:  W = S (S X'E X S + gamma I)^-1 S X'E Y
//   features >  samples:  W = D X'F (F X D X'F + gamma I)^-1 F Y      and X W - Y = -gamma E^-1 F (...)^-1 F Y
//
// so that a weight of 0 needs no division, and stays 0. Per iteration O(n p min(n, p)); memory min(n, p)^2 numbers.

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "math/dense.h"
#include "select/filter/filter_selector.h"
#include "select/filter/node_matrix.h"
#include "select/ranking.h"

namespace clade {
namespace {

struct FsnmOptions {
  // Weight of the penalty on W: larger leaves fewer features with a weight.
  double gamma = 1;
  int iterations = 10;
  // Rank by the weights of the first child alone, as the program behind the published tables did by mistake.
  bool as_published = false;
};

template <class V>
void describe(V& v, FsnmOptions& o) {
  v("gamma", o.gamma, positive(), "weight of the row-sparsity penalty");
  v("iterations", o.iterations, at_least(1), "reweighted least-squares steps");
  v("as-published", o.as_published, "rank by the weights of the first child alone, as the published tables did");
}

// Keeps the weight of a sample finite where its residual vanishes.
constexpr double kResidualFloor = 0x1p-52;

[[noreturn]] void throw_too_large() {
  throw usage_error("fsnm: the values are too large to compute with", "expected scaled features: `scale` standard");
}

// Solves (M + ridge I) Z = B for a symmetric M of which the lower triangle is given; Z replaces B. The ridge is as
// asked for, or where rounding has made that system indefinite the smallest tried that helps; it is returned.
double solve_with_ridge(Eigen::MatrixXd& m, double ridge, Eigen::MatrixXd& b, Context& ctx) {
  m.triangularView<Eigen::StrictlyUpper>() = m.transpose();  // survives the factorisation, for another attempt
  const Eigen::VectorXd diagonal = m.diagonal();
  m.diagonal().array() += ridge;
  const double largest = std::max(ridge, diagonal.maxCoeff());
  double step = std::numeric_limits<double>::epsilon() * largest;
  while (!cholesky(m, ctx)) {
    if (!(step < largest)) throw_too_large();
    m.triangularView<Eigen::StrictlyLower>() = m.transpose();
    step *= 4;
    ridge += step;
    m.diagonal() = diagonal.array() + ridge;
  }
  cholesky_solve(m, b, ctx);
  return ridge;
}

Eigen::VectorXd column_norms(const Eigen::MatrixXd& m) {
  return square_roots(m.colwise().squaredNorm());
}

class Reweighting {
 public:
  Reweighting(const Dataset& data, const NodeTable& table, double gamma, Context& ctx)
      : x_(data, table),
        y_(Eigen::MatrixXd::Zero(table.classes(), table.samples())),
        gamma_(gamma),
        d_(Eigen::VectorXd::Ones(x_.features())),
        e_(Eigen::VectorXd::Ones(x_.samples())),
        ctx_(ctx) {
    for (Index r = 0; r < table.samples(); ++r) {
      for (const auto child : table.labels(r)) y_(child, r) = 1;
    }
  }

  void step() {
    if (x_.features() <= x_.samples()) {
      step_by_features();
    } else {
      step_by_samples();
    }
    const Eigen::VectorXd squares = r_.colwise().squaredNorm();
    const Eigen::VectorXd norms = column_norms(w_);
    d_ = 2 * norms;
    e_ = 0.5 * square_roots(squares.array() + kResidualFloor).cwiseInverse();
    objective_ = square_roots(squares).sum() + gamma_ * norms.sum();
    if (!std::isfinite(objective_)) throw_too_large();
  }

  const Eigen::MatrixXd& weights() const { return w_; }  // children x features
  double objective() const { return objective_; }
  int singular_steps() const { return singular_steps_; }

 private:
  void step_by_features() {
    x_.feature_gram(e_, system_, ctx_);
    const Eigen::VectorXd s = square_roots(d_);
    scale_lower(s);
    Eigen::MatrixXd b = s.asDiagonal() * x_.times(y_ * e_.asDiagonal(), ctx_).transpose();
    solve(b);
    w_ = b.transpose() * s.asDiagonal();
    r_ = x_.times_transposed(w_, ctx_) - y_;
  }

  void step_by_samples() {
    x_.sample_gram(d_, system_, ctx_);
    const Eigen::VectorXd f = square_roots(e_);
    scale_lower(f);
    Eigen::MatrixXd b = f.asDiagonal() * y_.transpose();
    const double ridge = solve(b);
    const Eigen::MatrixXd a = b.transpose() * f.asDiagonal();
    w_ = x_.times(a, ctx_) * d_.asDiagonal();
    r_ = -ridge * (a * e_.cwiseInverse().asDiagonal());
  }

  void scale_lower(const Eigen::VectorXd& scale) {
    for (Index j = 0; j < system_.cols(); ++j) {
      const Index count = system_.rows() - j;
      system_.col(j).tail(count).array() *= scale[j] * scale.tail(count).array();
    }
  }

  double solve(Eigen::MatrixXd& b) {
    const double ridge = solve_with_ridge(system_, gamma_, b, ctx_);
    if (ridge != gamma_) ++singular_steps_;
    return ridge;
  }

  NodeMatrix x_;
  Eigen::MatrixXd y_;  // children x samples
  double gamma_;
  Eigen::VectorXd d_;
  Eigen::VectorXd e_;
  Context& ctx_;
  Eigen::MatrixXd system_;
  Eigen::MatrixXd w_;  // children x features
  Eigen::MatrixXd r_;  // children x samples
  double objective_ = 0;
  int singular_steps_ = 0;
};

class Fsnm final : public FilterSelector {
 public:
  using FilterSelector::FilterSelector;
  ParameterTable parameters() override { return ParameterTable(options_); }

 protected:
  Ranked rank(const Dataset& data, const NodeTable& table, Index, Context& ctx) const override {
    Reweighting problem(data, table, options_.gamma, ctx);
    Ranked result;
    for (int t = 0; t < options_.iterations; ++t) {
      ctx.check_cancelled();
      problem.step();
      result.objective.push_back(problem.objective());
    }
    if (problem.singular_steps() > 0) {
      result.notes.push_back(
          fmt::format("{}: the system was singular to rounding in {} of {} iterations and was solved "
                      "with a larger gamma; scale the features or raise gamma",
                      table_name(data, table), problem.singular_steps(), options_.iterations));
    }
    const Eigen::MatrixXd& w = problem.weights();
    const Eigen::VectorXd weights = options_.as_published ? Eigen::VectorXd(w.row(0).cwiseAbs()) : column_norms(w);
    result.ranking = rank_features(table, {weights.data(), static_cast<std::size_t>(weights.size())});
    return result;
  }

  double operations(const Dataset& data, const NodeTable& table, Index) const override {
    constexpr double kBlasSpeed = 16;  // operations in the time of one elsewhere
    const auto n = static_cast<double>(table.samples());
    const auto p = static_cast<double>(data.features());
    return options_.iterations * n * p * std::min(n, p) / kBlasSpeed;
  }

 private:
  FsnmOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_fsnm(bool flat) {
  return std::make_unique<Fsnm>(flat);
}

}  // namespace clade
