// Nonnegative discriminative feature selection (Z. Li, Y. Yang, J. Liu, X. Zhou, H. Lu, Unsupervised feature selection
// using nonnegative spectral analysis, 2012): cluster indicators F that are smooth on the neighbour graph and that few
// features can predict,
//
//   min_{F, W}  Tr(F'L F) + alpha (||X W - F||^2 + beta ||W||_2,1) + gamma/2 ||F'F - I||^2,      F >= 0
//
// with the normalised Laplacian L = I - D^-1/2 S D^-1/2. From D_W = I, and F by k-means, repeat
//
//   M F = L F + alpha (F - X W(F)),   W(F) = (X'X + beta D_W)^-1 X'F
//   F_ij <- F_ij gamma F_ij / (M F + gamma F F'F)_ij,   columns of F scaled to length 1
//   W = W(F),   D_W = diag(1 / (2 ||w_j||))
//
// Features are ranked by ||w_j||. With the published gamma of 1e8, F stays near its start.
//
// Per iteration O(n p min(n, p)), see weighted_regression.h; memory for the smaller of n x n and p x p.

#include "select/unsupervised/ndfs.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <cmath>

#include "core/progress.h"

namespace clade {
namespace {

constexpr auto kGram = WeightedRegression::Gram::kKept;  // samples keep their weight of 1

class Ndfs final : public ClusterRegressionSelector {
 public:
  ParameterTable parameters() override {
    ParameterTable table;
    describe(table, options_, [this](ParameterTable& v) {
      v("gamma", options_.gamma, positive(), "weight of the orthogonality of the clusters");
    });
    return table;
  }

 protected:
  Solved solve(const Dataset& /*data*/, const NodeMatrix& x, const NeighbourGraph& graph, Matrix start,
               Context& ctx) const override {
    NdfsResult result = solve_ndfs(x, graph, std::move(start), options_, ctx);
    return {std::move(result.weights), std::move(result.objective)};
  }
  ClusterRegressionOptions& options() override { return options_; }
  WeightedRegression::Gram gram() const override { return kGram; }

 private:
  NdfsOptions options_;
};

}  // namespace

NdfsResult solve_ndfs(const NodeMatrix& x, const NeighbourGraph& graph, Matrix start, const NdfsOptions& options,
                      Context& ctx) {
  NdfsResult result;
  Matrix& f = result.clusters = std::move(start);
  const Matrix identity = Matrix::Identity(f.rows(), f.rows());
  const Vector ones = Vector::Ones(x.samples());
  Vector c = Vector::Ones(x.features());  // the diagonal of D_W^-1
  WeightedRegression regression(x, options.beta, kGram);
  Progress progress(ctx, "ndfs", options.iterations);
  for (int t = 0; t < options.iterations; ++t) {
    ctx.check_cancelled();
    factor_or_throw(regression, ones, c, ctx);
    const Matrix fitted = regression.solve(f, ctx).fitted;
    const Matrix m_f = times_laplacian(f, graph, ctx) + options.alpha * (f - fitted);
    const Matrix below = m_f + options.gamma * (f * f.transpose()) * f;
    if (!((below.array() > 0) || (f.array() == 0)).all()) {
      throw usage_error(fmt::format("ndfs diverges with gamma {}", options.gamma), "expected a larger `gamma`");
    }
    f = (f.array() == 0).select(0, options.gamma * f.array().square() / below.array());
    for (Index k = 0; k < f.rows(); ++k) f.row(k).normalize();

    WeightedRegression::Solution solution = regression.solve(f, ctx);
    const Vector norms = column_norms(solution.weights);
    c = 2 * norms;
    const double smooth = f.cwiseProduct(times_laplacian(f, graph, ctx)).sum();
    result.objective.push_back(smooth +
                               options.alpha * ((solution.fitted - f).squaredNorm() + options.beta * norms.sum()) +
                               options.gamma / 2 * (f * f.transpose() - identity).squaredNorm());
    result.weights = std::move(solution.weights);
    progress.advance();
    if (has_settled(result.objective, options.tolerance)) break;
  }
  return result;
}

std::unique_ptr<Selector> make_ndfs() {
  return std::make_unique<Ndfs>();
}

}  // namespace clade
