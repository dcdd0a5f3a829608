// Efficient and robust feature selection by joint l2,1-norms minimisation (F. Nie, H. Huang, X. Cai, C. Ding, 2010), at
// every node on its own:
//
//   min_W  ||X W - Y||_2,1 + gamma ||W||_2,1          Y: 0/1, a column per child that has samples
//
// by reweighting: D = E = I, then repeat W = (D X'E X + gamma I)^-1 D X'E Y, D = diag(2 ||w_j||), E = diag(1 / (2
// sqrt(||r_i||^2 + 2^-52))) with the rows w_j of W and r_i of X W - Y. After the first W the objective never rises.
// Features are ranked by ||w_j||.
//
// The system is a weighted regression (weighted_regression.h), solved in its symmetric form: a weight of 0 then needs
// no division and stays 0. Per iteration O(n p min(n, p)); memory for min(n, p)^2 numbers.

#include <fmt/format.h>

#include <cmath>

#include "select/filter/filter_selector.h"
#include "select/ranking.h"
#include "select/weighted_regression.h"

namespace clade {
namespace {

struct FsnmOptions {
  // Weight of the penalty on W; the larger, the fewer features keep a weight.
  double gamma = 1;
  int iterations = 10;
  // Rank by the weights of the first child alone, as the program behind the published tables does by mistake.
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

class Reweighting {
 public:
  Reweighting(const Dataset& data, const NodeTable& table, double gamma, Context& ctx)
      : x_(data, table),
        regression_(x_, gamma, WeightedRegression::Gram::kMadeAnew),
        y_(Matrix::Zero(table.classes(), table.samples())),
        gamma_(gamma),
        d_(Vector::Ones(x_.features())),
        e_(Vector::Ones(x_.samples())),
        ctx_(ctx) {
    for (Index r = 0; r < table.samples(); ++r) {
      for (const auto child : table.labels(r)) y_(child, r) = 1;
    }
  }

  void step() {
    if (!regression_.factor_with_larger_ridge(e_, d_, ctx_)) throw_too_large();
    if (regression_.ridge() != gamma_) ++singular_steps_;
    WeightedRegression::Solution solution = regression_.solve(y_, ctx_);
    w_ = std::move(solution.weights);
    const Vector squares = solution.residual.colwise().squaredNorm();
    const Vector norms = column_norms(w_);
    d_ = 2 * norms;
    e_ = 0.5 * square_roots(squares.array() + kResidualFloor).cwiseInverse();
    objective_ = square_roots(squares).sum() + gamma_ * norms.sum();
    if (!std::isfinite(objective_)) throw_too_large();
  }

  const Matrix& weights() const { return w_; }  // children x features
  double objective() const { return objective_; }
  int singular_steps() const { return singular_steps_; }

 private:
  NodeMatrix x_;
  WeightedRegression regression_;
  Matrix y_;  // children x samples
  double gamma_;
  Vector d_;
  Vector e_;
  Context& ctx_;
  Matrix w_;  // children x features
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
    const Matrix& w = problem.weights();
    const Vector weights = options_.as_published ? Vector(w.row(0).cwiseAbs()) : column_norms(w);
    result.ranking = rank_features(table, {weights.data(), static_cast<std::size_t>(weights.size())});
    return result;
  }

  double operations(const Dataset& data, const NodeTable& table, Index) const override {
    constexpr double kBlasSpeed = 16;  // its operations in the time of one elsewhere
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
