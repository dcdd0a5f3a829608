// Features by what a small change of theirs does to the scores of kernel ridge regression. With the scores of all nodes
//
//   F_c(x) = mean_c + sum_j coefficient_jc k(x, x_j)
//
// on standardised features (sparse data: samples of length 1), the weight of a feature f at a node is
//
//   sum over the children c of the node of the mean of (dF_c / dx_f)^2 over samples below the node
//
// where the term of a sample itself has no part: it is 0 (rbf), or has no gradient (exponential).

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/closed_labels.h"
#include "data/kernel/ridge_solver.h"
#include "data/scaling.h"
#include "math/pooled_ranking.h"
#include "select/learners/kernel_gradient.h"
#include "select/ranking.h"
#include "select/selector.h"

namespace clade {
namespace {

constexpr Choice<RidgeKernel> kGradientKernelWords[] = {
    {RidgeKernel::kAuto, "auto"}, {RidgeKernel::kExponential, "exponential"}, {RidgeKernel::kRbf, "rbf"}};

struct RidgeSelectorOptions {
  RidgeKernel kernel = RidgeKernel::kAuto;
  double width = 1;
  double penalty = std::numeric_limits<double>::quiet_NaN();
  Index samples = 3000;
  Index points = 300;
};

template <class V>
void describe(V& v, RidgeSelectorOptions& o) {
  v("kernel", o.kernel, kGradientKernelWords,
    "similarity of two samples; exponential: exp(-width d / median d); rbf: exp(-width d^2 / median d^2); auto: "
    "chosen by leave-one-out");
  v("width", o.width, positive(), "how fast similarity falls with distance");
  v("penalty", o.penalty, positive(), "added to the diagonal of the kernel; auto: chosen by leave-one-out");
  v("samples", o.samples, at_least(2), "random samples to learn from, if there are more");
  v("points", o.points, at_least(1), "samples of a node at which gradients are taken, if it has more");
}

// Samples, their distances and labels, and the values that the kernel compares.
struct GradientProblem {
  GradientProblem(const Dataset& data, std::vector<Index> some, Context& ctx)
      : ridge{{}, 1, data.subset(std::move(some)), {}, {}}, samples(all_of(ridge.data, ctx)) {
    ridge.labels = closed_labels(ridge.data, {}, MiscellaneousLeaves::kKept);
    ridge.squares = squared_distances(samples, ctx);
    ridge.median = median_square(ridge.squares);
  }

  static KernelSamples all_of(const Dataset& data, Context& ctx) {
    std::vector<Index> all(static_cast<std::size_t>(data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    return {data, all, {.kind = KernelKind::kLinear, .gamma = 1}, false, ctx};
  }

  RidgeProblem ridge;
  KernelSamples samples;
};

class RidgeSelector final : public Selector {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  FeatureRanking select(const SelectionInput& input, Context& ctx) override {
    const bool is_dense = !is_sparse(input.data.matrix());
    const Dataset data = scaled(input.data, is_dense ? Scale::kStandard : Scale::kUnit, false);
    std::vector<Index> order(static_cast<std::size_t>(data.samples()));
    std::iota(order.begin(), order.end(), Index{0});
    RandomStream random(ctx.seed(), {kSubsampleStream, kSolverStream});
    if (data.samples() > std::min(options_.samples, kSearchSamples)) random.shuffle(std::span(order));
    choose(data, order, ctx);
    GradientProblem problem(data, first(order, options_.samples), ctx);
    const RidgeFit fit = solve_ridge(problem.ridge, options_.kernel, options_.width, options_.penalty, true, ctx);
    return ranked(input, problem, fit, is_dense, ctx);
  }

 private:
  static constexpr Index kSearchSamples = 1000;

  static std::vector<Index> first(const std::vector<Index>& order, Index count) {
    std::vector<Index> some(order.begin(), order.begin() + std::min(count, std::ssize(order)));
    std::sort(some.begin(), some.end());
    return some;
  }

  // Kernel and penalty with the largest area under the pooled precision-recall curve of leave-one-out scores. Sets the
  // options, which the ranking reports.
  void choose(const Dataset& data, const std::vector<Index>& order, Context& ctx) {
    if (options_.kernel != RidgeKernel::kAuto && !std::isnan(options_.penalty)) return;
    GradientProblem problem(data, first(order, std::min(options_.samples, kSearchSamples)), ctx);
    const RidgeSelectorOptions asked = options_;
    std::vector<double> penalties{0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    if (!std::isnan(asked.penalty)) penalties = {asked.penalty};
    double best = -1;
    for (const RidgeKernel kernel : {RidgeKernel::kExponential, RidgeKernel::kRbf}) {
      if (asked.kernel != RidgeKernel::kAuto && asked.kernel != kernel) continue;
      for (const double penalty : penalties) {
        const RidgeFit fit = solve_ridge(problem.ridge, kernel, asked.width, penalty, true, ctx);
        const double area = average_precision(rank_pairs(fit.held_out, problem.ridge.labels.members, ctx));
        if (area <= best) continue;
        best = area;
        options_.kernel = kernel;
        options_.penalty = penalty;
      }
    }
  }

  FeatureRanking ranked(const SelectionInput& input, const GradientProblem& problem, const RidgeFit& fit, bool is_dense,
                        Context& ctx) const {
    const RidgeProblem& ridge = problem.ridge;
    const Index n = ridge.data.samples();
    Matrix values;
    if (is_dense) {
      values = Matrix::Zero(n, problem.samples.width());
      for (Index s = 0; s < n; ++s) {
        const auto columns = problem.samples.columns_of(s);
        for (std::size_t k = 0; k < columns.size(); ++k) values(s, columns[k]) = problem.samples.values_of(s)[k];
      }
    }
    const double gamma =
        options_.width / (options_.kernel == RidgeKernel::kRbf ? ridge.median : std::sqrt(ridge.median));
    const std::vector<NodeTable> tables = node_tables(ridge.data);
    FeatureRanking result;
    Progress progress(ctx, "ranking features", std::ssize(tables));
    for (std::size_t t = 0; t < tables.size(); ++t) {
      progress.advance();
      if (!input.is_asked_for(tables[t].node)) continue;
      ctx.check_cancelled();
      std::vector<Index> points;
      const Index count = std::min(options_.points, tables[t].samples());
      for (Index k = 0; k < count; ++k) {
        points.push_back(tables[t].rows[static_cast<std::size_t>(k * tables[t].samples() / count)]);
      }
      const Matrix slopes = kernel_slopes(ridge.squares, points, options_.kernel, gamma);
      const std::vector<NodeId>& children = tables[t].children;
      std::vector<Vector> parts(children.size());
      parallel_for(ctx, std::ssize(children), 1, [&](Index c, Index) {
        const auto column = std::ranges::lower_bound(ridge.labels.nodes, children[static_cast<std::size_t>(c)]);
        parts[static_cast<std::size_t>(c)] = squared_gradients(
            slopes, points, fit.coefficient.col(column - ridge.labels.nodes.begin()), problem.samples, values);
      });
      Vector weight = Vector::Zero(problem.samples.width());
      for (const Vector& part : parts) weight += part / static_cast<double>(count);
      result.nodes.push_back(rank_features(input.tables[t], {weight.data(), static_cast<std::size_t>(weight.size())}));
    }
    return result;
  }

  RidgeSelectorOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_ridge_selector() {
  return std::make_unique<RidgeSelector>();
}

}  // namespace clade
