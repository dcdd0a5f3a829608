// Selection with slack, an intercept and a cap on outliers (HFSDK). Per node
//
//   sum_r min(||x_r W + b - z_r||^2, c)^(p/2) + beta ||W - mean of the children's W||^2
//
// where z = y + y max(y (x W + b - y), 0) lets a sample lie beyond the target of its class, b has no penalty, and c is
// the value below which a share `kept` of the squared residuals lies; c is fixed after 40 % of the iterations.
//
// The published program differs in details that change its numbers: no node counts as having children; a node is
// reweighted right after it is solved, so that the first iteration has weights 1; c is the first value beyond the kept
// ones, which are rounded up; kept rows weigh p/2 r^((p - 2)/2) for a residual r, and all others 2^-52 instead of 0.

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "select/recursive/coupled_selector.h"
#include "select/recursive/weighted_rows.h"

namespace clade {
namespace {

class Hfsdk : public CoupledMethod {
 public:
  struct Settings {
    double beta = 1;
    double power = 2;
    double kept = 0.8;
    int iterations = 40;
    bool as_published = false;
  };
  explicit Hfsdk(const Settings& settings) : settings_(settings) {}

  void prepare(const Problem& problem, Context& ctx) override;
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void node_changed(std::size_t i, const Matrix& before, const Matrix& after) override;
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
  // X W + b, with the b that is best for the current state.
  Matrix fitted(std::size_t i, const Matrix& w) const;
  // Sets targets, cap and row weights by the residuals of the weights.
  void update(std::size_t i, const Matrix& w);
  void weigh_rows(const Vector& squares, NodeState& state) const;
  void weigh_rows_published(const Vector& squares, NodeState& state) const;

  Settings settings_;
  bool moves_cap_ = true;
  std::vector<NodeState> states_;
};

constexpr double kSmallest = 1e-16;  // smaller squared residuals count as this much in weights
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void Hfsdk::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  states_.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeProblem& node = problem.node(i);
    states_.push_back({Vector::Ones(node.samples()), label_matrix(node, problem.width()), 0});
  }
}

std::vector<std::size_t> Hfsdk::neighbours(std::size_t i) const {
  if (settings_.as_published) return {};
  std::vector<std::size_t> all = problem_->parents(i);
  all.insert(all.end(), problem_->children(i).begin(), problem_->children(i).end());
  return all;
}

Matrix Hfsdk::children_mean(std::size_t i, const Weights& w) const {
  Matrix mean = Matrix::Zero(problem_->features(), problem_->width());
  const auto& children = problem_->children(i);
  if (settings_.as_published || children.empty()) return mean;
  for (const std::size_t child : children) mean += w[child];
  return mean / static_cast<double>(children.size());
}

Matrix Hfsdk::fitted(std::size_t i, const Matrix& w) const {
  const NodeState& state = states_[i];
  const Matrix plain = fitted_values(*problem_, i, w);
  const Eigen::RowVectorXd intercept =
      state.row_weights.transpose() * (state.targets - plain) / state.row_weights.sum();
  return plain.rowwise() + intercept;
}

void Hfsdk::weigh_rows(const Vector& squares, NodeState& state) const {
  if (moves_cap_) state.cap = smallest_share(squares, settings_.kept);
  for (Index r = 0; r < squares.size(); ++r) {
    const double weight = settings_.power / 2 * std::pow(std::max(squares(r), kSmallest), (settings_.power - 2) / 2);
    state.row_weights(r) = squares(r) <= state.cap ? weight : 0;
  }
  // Every sample may lie beyond a cap that was fixed earlier.
  if (state.row_weights.sum() == 0) state.row_weights.setOnes();
}

void Hfsdk::weigh_rows_published(const Vector& squares, NodeState& state) const {
  const Index n = squares.size();
  std::vector<char> is_kept(static_cast<std::size_t>(n), 0);
  if (moves_cap_) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, [&](Index a, Index b) {
      const auto by_square = std::strong_order(squares(a), squares(b));
      return by_square == 0 ? a < b : by_square < 0;
    });
    const auto kept = static_cast<std::size_t>(std::ceil(settings_.kept * static_cast<double>(n)));
    // Up to four rows are all kept: nothing lies beyond them.
    state.cap = kept < order.size() ? squares(order[kept]) + kEpsilon : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < std::min(kept, order.size()); ++k) is_kept[static_cast<std::size_t>(order[k])] = 1;
  }
  for (Index r = 0; r < n; ++r) {
    const double square = squares(r) + kEpsilon;
    const bool counts = moves_cap_ ? is_kept[static_cast<std::size_t>(r)] != 0 : square < state.cap;
    state.row_weights(r) = counts ? settings_.power / 2 * std::pow(square, (settings_.power - 2) / 4) : kEpsilon;
  }
}

void Hfsdk::update(std::size_t i, const Matrix& w) {
  NodeState& state = states_[i];
  if (problem_->node(i).samples() == 0) return;
  const Matrix y = label_matrix(problem_->node(i), problem_->width());
  const Matrix values = fitted(i, w);
  const Matrix slack = y.cwiseProduct(values - y).cwiseMax(0);
  state.targets = y + y.cwiseProduct(slack);
  const Vector squares = (values - state.targets).rowwise().squaredNorm();
  settings_.as_published ? weigh_rows_published(squares, state) : weigh_rows(squares, state);
}

void Hfsdk::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  const double moving = 0.4 * settings_.iterations;
  moves_cap_ = settings_.as_published ? iteration + 1 <= std::floor(moving) : iteration < moving;
  if (settings_.as_published) return;
  parallel_for(ctx, static_cast<Index>(w.size()), 1,
               [&](Index i, Index) { update(static_cast<std::size_t>(i), w[static_cast<std::size_t>(i)]); });
}

void Hfsdk::node_changed(std::size_t i, const Matrix& /*before*/, const Matrix& after) {
  if (settings_.as_published) update(i, after);
}

void Hfsdk::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  terms.add_multiple_of_identity(settings_.beta);
  terms.right += settings_.beta * children_mean(i, w);
  weight_rows(*problem_, i, states_[i].row_weights, states_[i].targets, true, terms, *ctx_);
}

double Hfsdk::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += settings_.beta * (w[i] - children_mean(i, w)).squaredNorm();
  return sum;
}

double Hfsdk::fit(std::size_t i, const Matrix& w) const {
  if (problem_->node(i).samples() == 0) return 0;
  const Vector squares = (fitted(i, w) - states_[i].targets).rowwise().squaredNorm();
  const double cap = states_[i].cap > 0 ? states_[i].cap : squares.maxCoeff();
  return squares.cwiseMin(cap).unaryExpr([&](double r) { return std::pow(r, settings_.power / 2); }).sum();
}

class HfsdkSelector final : public CoupledSelector {
 public:
  HfsdkSelector()
      : CoupledSelector("hfsdk", {.has_own_loss = true,
                                  .fixes_penalty_published = true,
                                  .ranks_padding_published = true,
                                  .orders_by_id_published = true}) {
    common_.iterations = 40;
  }

 protected:
  void describe_own(ParameterTable& v) override {
    v("beta", beta_, nonnegative(), "weight of the pull of a node towards the mean of its children");
    v("power", power_, positive(), "power of the residual norm in the loss");
  }
  std::unique_ptr<CoupledMethod> make_method() const override {
    return std::make_unique<Hfsdk>(Hfsdk::Settings{
        .beta = beta_, .power = power_, .iterations = common_.iterations, .as_published = common_.as_published});
  }
  void require_convex() const override { throw leaves_samples_out(); }

 private:
  double beta_ = 1;
  double power_ = 2;
};

}  // namespace

std::unique_ptr<Selector> make_hfsdk() {
  return std::make_unique<HfsdkSelector>();
}

}  // namespace clade
