#include "math/group_lasso.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/group_newton.h"

namespace clade {
namespace {

using Rows = std::vector<Index>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-15;  // a relative fall of the objective below this is noise
constexpr double kShrinks = 0.999;   // if the objective is at its last digit, the gap must still shrink by this factor
constexpr Index kSmallestWorkingSet = 100;
constexpr double kManyActive = 0.5;  // from this share of all rows on, Newton steps come sooner
constexpr int kFirstPasses = 10;     // before the first Newton step, if few rows are active; often enough by themselves
constexpr int kPassesBetween = 5;    // between Newton steps; together they cost less than one of those
constexpr double kGetsOn = 0.5;      // cheap passes go on without Newton steps while they shrink the gap by this factor
constexpr int kPatience = 5;         // within so many rounds of them
constexpr double kHeldBack = 1.5;    // rows outside a working set hold back the scale if the gap is so much larger
constexpr double kLastShare = 0.8;   // how well the last working set is solved by them: share of the gap asked for
constexpr double kInnerShare = 0.1;  // how well a working set is solved: share of the whole problem's gap
constexpr double kTinyNorm = 0.01;   // share of the largest norm; rows below it may all be set to zero at the start

double inner(const Matrix& a, const Matrix& b) {
  return a.cwiseProduct(b).sum();
}

struct ScaleRange {
  double low = 0;
  double high = kInfinity;
};

// All s with ||s z + e|| <= bound.
ScaleRange scales_of_row(const Eigen::RowVectorXd& z, const Eigen::RowVectorXd& e, double bound) {
  const double a = z.squaredNorm();
  const double b = z.dot(e);
  const double c = e.squaredNorm() - bound * bound;
  if (a == 0) return c <= 0 ? ScaleRange{} : ScaleRange{kInfinity, -kInfinity};
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return {kInfinity, -kInfinity};
  return {(-b - std::sqrt(discriminant)) / a, (-b + std::sqrt(discriminant)) / a};
}

ScaleRange allowed_scales(const Matrix& g, const Matrix& extra, double bound) {
  ScaleRange all;
  if (extra.size() == 0) {
    const double largest = g.rows() > 0 ? g.rowwise().norm().maxCoeff() : 0;
    if (largest > 0) all.high = bound / largest;
    return all;
  }
  for (Index j = 0; j < g.rows(); ++j) {
    const ScaleRange one = scales_of_row(g.row(j) - extra.row(j), extra.row(j), bound);
    all.low = std::max(all.low, one.low);
    all.high = std::min(all.high, one.high);
  }
  return all;
}

Rows nonzero_rows(const Matrix& w) {
  Rows rows;
  for (Index j = 0; j < w.rows(); ++j) {
    if (!w.row(j).isZero(0)) rows.push_back(j);
  }
  return rows;
}

Rows all_rows(Index count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Matrix taken(const Matrix& matrix, const Rows& rows) {
  if (matrix.size() == 0) return {};
  return matrix(rows, Eigen::all);
}

class Minimiser {
 public:
  Minimiser(const GroupLassoProblem& problem, double lambda, Matrix start, const GroupLassoOptions& options,
            Context& ctx)
      : problem_(problem),
        lambda_(lambda),
        options_(options),
        ctx_(ctx),
        w_(std::move(start)),
        g_(w_.rows(), w_.cols()),
        remaining_(all_rows(w_.rows())) {}

  GroupLassoResult run() {
    evaluate();
    drop_tiny_rows();
    Rows last;
    while (!is_done()) {
      ctx_.check_cancelled();
      eliminate();
      const Certificate before = now_;
      const Rows working = working_set();
      // Rows outside may hold back the scale; then the same rows must be solved more closely.
      inner_share_ = working == last ? inner_share_ * kInnerShare : kInnerShare;
      last = working;
      if (!improve(working)) return finish(GroupLassoStatus::kUnbounded);
      evaluate();
      is_held_back_ = now_.gap > kHeldBack * inner_gap_;
      if (is_still(before, now_) && !is_done() && working_set() == working) return finish(GroupLassoStatus::kStalled);
    }
    return finish(is_close() ? GroupLassoStatus::kConverged : GroupLassoStatus::kPassLimit);
  }

 private:
  bool is_close() const { return now_.relative_gap() <= options_.tolerance; }
  bool is_done() const { return is_close() || passes_ >= options_.passes; }

  // Near the minimum the gap is first order in the distance and the objective second order, so the gap says more.
  static bool is_still(const Certificate& before, const Certificate& after) {
    return before.objective - after.objective <= kRounding * std::abs(after.objective) &&
           after.gap > kShrinks * before.gap;
  }

  GroupLassoResult finish(GroupLassoStatus status) {
    return {std::move(w_), now_, status, passes_, g_.rows() - std::ssize(remaining_)};
  }

  // Computes the gradient at w_ for all remaining rows, and what it certifies.
  void evaluate() {
    const Rows support = nonzero_rows(w_);
    const Matrix product = problem_.form.product(support, taken(w_, support), remaining_, ctx_);
    const Matrix linear = taken(problem_.linear, remaining_);
    const Matrix g = linear - product;
    g_(remaining_, Eigen::all) = g;
    now_ = certify(problem_.constant, lambda_, linear, taken(problem_.extra, remaining_), taken(w_, remaining_), g);
  }

  // Reweighting leaves small values in rows that should be zero. Setting these to zero is kept only if the objective
  // falls.
  void drop_tiny_rows() {
    const Vector norms = w_.rowwise().norm();
    const double limit = kTinyNorm * (norms.size() > 0 ? norms.maxCoeff() : 0);
    const Matrix before = w_;
    bool has_dropped = false;
    for (Index j = 0; j < w_.rows(); ++j) {
      const double pull = (g_.row(j) + problem_.form.diagonal()(j) * w_.row(j)).norm();
      if (norms(j) == 0 || norms(j) > limit || pull > lambda_ / 2) continue;
      w_.row(j).setZero();
      has_dropped = true;
    }
    if (!has_dropped) return;
    const Certificate old = now_;
    evaluate();
    if (now_.objective <= old.objective) return;
    w_ = before;
    evaluate();
  }

  // Only rows that are already zero: removing another could raise the objective.
  void eliminate() {
    if (!std::isfinite(now_.gap)) return;
    const double radius = std::sqrt(now_.gap);
    std::erase_if(remaining_, [&](Index j) {
      if (!w_.row(j).isZero(0)) return false;
      Eigen::RowVectorXd dual = now_.scale * g_.row(j);
      if (problem_.extra.size() > 0) dual += (1 - now_.scale) * problem_.extra.row(j);
      return dual.norm() + radius * std::sqrt(problem_.form.diagonal()(j)) < lambda_ / 2;
    });
  }

  // The non-zero rows, and the worst of the zero rows that should not be zero; ascending.
  Rows working_set() const {
    Rows rows;
    std::vector<std::pair<double, Index>> wrong;
    for (const Index j : remaining_) {
      if (!w_.row(j).isZero(0)) {
        rows.push_back(j);
      } else if (const double norm = g_.row(j).norm(); norm > lambda_ / 2) {
        wrong.emplace_back(-norm, j);
      }
    }
    std::sort(wrong.begin(), wrong.end());
    const auto room = static_cast<std::size_t>(std::max(kSmallestWorkingSet, std::ssize(rows)));
    wrong.resize(std::min(wrong.size(), room));
    for (const auto& [norm, j] : wrong) rows.push_back(j);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // Solves the problem of some rows approximately. False if it has no minimum.
  bool improve(const Rows& rows) {
    const std::unique_ptr<QuadraticBlock> block = problem_.form.block(rows, ctx_);
    const Matrix linear = taken(problem_.linear, rows);
    const Matrix extra = taken(problem_.extra, rows);
    Matrix w = taken(w_, rows);
    Matrix g = taken(g_, rows);
    const auto rest = [&] { return certify(problem_.constant, lambda_, linear, extra, w, g); };
    const double least = options_.tolerance * std::abs(now_.objective);
    const double share = block->prefers_passes() && !is_held_back_ ? kInnerShare : inner_share_;
    double target = share * (std::isfinite(now_.gap) ? std::max(now_.gap, least) : least);
    if (block->prefers_passes()) target = std::max(target, kLastShare * least * (share / kInnerShare));
    const auto active = static_cast<double>(nonzero_rows(w).size());
    const bool has_many = active > kManyActive * static_cast<double>(w_.rows());
    Certificate last{.objective = kInfinity, .gap = kInfinity};
    double reference = kInfinity;
    int patience = kPatience;
    bool has_stepped = !block->prefers_passes();  // by Newton, before the passes
    const int later = block->prefers_passes() ? kFirstPasses : kPassesBetween;
    for (int passes = has_many ? later : kFirstPasses; passes_ < options_.passes; passes = later) {
      ctx_.check_cancelled();
      if (!block->descend(lambda_, passes, linear, w, g)) return false;
      passes_ += passes;
      const Certificate reached = rest();
      inner_gap_ = reached.gap;
      const bool stands = is_still(last, reached);
      if (reached.gap <= target || (stands && has_stepped)) break;
      last = reached;
      if (reached.gap <= kGetsOn * reference) {
        reference = reached.gap;
        patience = kPatience;
      }
      has_stepped = stands || !block->prefers_passes() || --patience < 0;
      if (!has_stepped) continue;
      newton(*block, rows, w, g);
      g = linear - block->product(w, ctx_);  // recomputed, so that rounding errors do not build up
    }
    w_(rows, Eigen::all) = w;
    return true;
  }

  // A Newton step on the non-zero rows of the working set.
  void newton(QuadraticBlock& block, const Rows& rows, Matrix& w, const Matrix& g) {
    const Rows active = nonzero_rows(w);
    if (active.empty()) return;
    ++passes_;
    if (active.size() == rows.size()) {
      newton_step(block, lambda_, g, w, ctx_);
      return;
    }
    Rows own;
    for (const Index k : active) own.push_back(rows[static_cast<std::size_t>(k)]);
    const std::unique_ptr<QuadraticBlock> small = problem_.form.block(own, ctx_);
    Matrix some = taken(w, active);
    newton_step(*small, lambda_, taken(g, active), some, ctx_);
    w(active, Eigen::all) = some;
  }

  const GroupLassoProblem& problem_;
  double lambda_;
  const GroupLassoOptions& options_;
  Context& ctx_;
  Matrix w_;
  Matrix g_;        // linear - H W on the remaining rows
  Rows remaining_;  // not eliminated; ascending
  Certificate now_;
  double inner_share_ = kInnerShare;
  double inner_gap_ = 0;       // of the last working set by itself
  bool is_held_back_ = false;  // do rows outside it make the gap of the whole problem larger?
  int passes_ = 0;
};

}  // namespace

double Certificate::relative_gap() const {
  return gap / std::max(std::abs(objective), std::numeric_limits<double>::min());
}

Certificate certify(double constant, double lambda, const Matrix& linear, const Matrix& extra, const Matrix& w,
                    const Matrix& g) {
  // <W, H W> = <W, linear - g>, so ||R||^2 = c - 2 <W, B> + <W, H W> = c - <W, linear + g> + 2 <W, E>.
  const double with_extra = extra.size() > 0 ? inner(w, extra) : 0;
  const double residual = std::max(constant - inner(w, linear) - inner(w, g) + 2 * with_extra, 0.0);
  const double penalty = lambda * w.rowwise().norm().sum();
  Certificate result;
  result.objective = residual - 2 * with_extra + penalty;
  const ScaleRange scales = allowed_scales(g, extra, lambda / 2);
  if (scales.low > scales.high) {
    result.gap = kInfinity;
    return result;
  }
  const double along = inner(w, g) - with_extra;  // <W, Z'R>
  const double best = residual > 0 ? 1 + along / residual : 1;
  result.scale = std::clamp(best, scales.low, scales.high);
  const double miss = 1 - result.scale;
  result.gap = std::max(miss * miss * residual + penalty - 2 * (result.scale * along + with_extra), 0.0);
  return result;
}

GroupLassoResult minimise(const GroupLassoProblem& problem, double lambda, Matrix start,
                          const GroupLassoOptions& options, Context& ctx) {
  // A column without a linear term is zero in a minimum, because its sign can be flipped at no cost.
  Rows columns;
  for (Index c = 0; c < start.cols(); ++c) {
    if (!problem.linear.col(c).isZero(0)) columns.push_back(c);
  }
  if (columns.empty()) {
    start.setZero();
    return {.weights = std::move(start), .certificate = {.objective = problem.constant, .scale = 1}};
  }
  if (std::ssize(columns) == start.cols()) return Minimiser(problem, lambda, std::move(start), options, ctx).run();
  GroupLassoProblem narrow{problem.form, problem.linear(Eigen::all, columns), {}, problem.constant};
  if (problem.extra.size() > 0) narrow.extra = problem.extra(Eigen::all, columns);
  GroupLassoResult result = Minimiser(narrow, lambda, start(Eigen::all, columns), options, ctx).run();
  start.setZero();
  start(Eigen::all, columns) = result.weights;
  result.weights = std::move(start);
  return result;
}

double largest_lambda(const Matrix& linear) {
  return linear.size() > 0 ? 2 * linear.rowwise().norm().maxCoeff() : 0;
}

}  // namespace clade
