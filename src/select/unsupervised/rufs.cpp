// Robust unsupervised feature selection (M. Qian, C. Zhai, 2013): clusters G and their centres F from a factorisation
// that is robust to outliers, and few features that predict the clusters,
//
//   min  ||X - G F||_2,1 + nu Tr(G'L G) + alpha ||X W - G||_2,1 + beta ||W||_2,1 + gamma/2 ||G'G - I||^2,    F, G >= 0
//
// with the normalised Laplacian L = I - N, N = D^-1/2 S D^-1/2, of the neighbour graph (the paper uses a matrix of
// local regressions instead). Norms of rows are replaced by weighted squares that bound them from above and touch them:
// e_i = 1 / (2 ||x_i - F'g_i||), h_i = 1 / (2 ||W'x_i - g_i||), c_j = 2 ||w_j||. Then, with A+ and A- the positive and
// negative parts of A, and all factors elementwise,
//
//   F <- F ((G'E X)+ / ((G'E X)- + G'E G F))^1/2
//   G <- G ((E (X F')+ + nu N G + alpha H (X W)+ + gamma G)
//           / (E (G F F' + (X F')-) + nu G + alpha H (G + (X W)-) + gamma G G'G))^1/4
//   W = the weighted regression of G on X, see weighted_regression.h
//
// To keep weights finite where a sample is fitted exactly, lengths of samples are sqrt(||.||^2 + c), with c = 1e-12 of
// their mean square for the first, 1e-12 / n for the second. What is 0 stays 0. None of the three updates raises the
// objective. Start: G by k-means, F = (G'X)+, W with all weights 1. Features are ranked by ||w_j||. Per iteration O(n p
// min(n, p)); memory for the smaller of n x n and p x p.

#include "select/unsupervised/rufs.h"

#include <algorithm>
#include <cmath>

#include "core/progress.h"

namespace clade {
namespace {

constexpr auto kGram = WeightedRegression::Gram::kMadeAnew;  // weights of samples change in every iteration

Matrix positive_part(const Matrix& a) {
  return a.cwiseMax(0);
}

Matrix negative_part(const Matrix& a) {
  return (-a).cwiseMax(0);
}

// 0 stays 0.
void multiply(Matrix& a, const Matrix& above, const Matrix& below, double power) {
  for (Index k = 0; k < a.size(); ++k) {
    double& value = a.data()[k];
    if (value > 0) value *= below.data()[k] > 0 ? std::pow(above.data()[k] / below.data()[k], power) : 1;
  }
}

// The lengths sqrt(s + floor); the floor keeps weights finite where a sample is fitted exactly.
Vector lengths(const Vector& squares, double floor) {
  return squares.unaryExpr([floor](double s) { return std::sqrt(std::max(s, 0.0) + floor); });
}

class Rufs final : public ClusterRegressionSelector {
 public:
  ParameterTable parameters() override {
    ParameterTable table;
    describe(table, options_, [this](ParameterTable& v) {
      v("nu", options_.nu, nonnegative(), "weight of the neighbour graph");
      v("gamma", options_.gamma, nonnegative(), "weight of the orthogonality of the clusters");
    });
    return table;
  }

 protected:
  Solved solve(const Dataset& data, const NodeMatrix& x, const NeighbourGraph& graph, Matrix start,
               Context& ctx) const override {
    Vector squares = Vector::Zero(data.samples());
    for (Index s = 0; s < data.samples(); ++s) {
      data.for_each_value(s,
                          [&](FeatureIndex, auto v) { squares[s] += static_cast<double>(v) * static_cast<double>(v); });
    }
    RufsResult result = solve_rufs(x, squares, graph, std::move(start), options_, ctx);
    return {std::move(result.weights), std::move(result.objective)};
  }
  ClusterRegressionOptions& options() override { return options_; }
  WeightedRegression::Gram gram() const override { return kGram; }

 private:
  RufsOptions options_;
};

}  // namespace

RufsResult solve_rufs(const NodeMatrix& x, const Vector& squares, const NeighbourGraph& graph, Matrix start,
                      const RufsOptions& options, Context& ctx) {
  RufsResult result;
  Matrix& g = result.clusters = std::move(start);
  Matrix& f = result.centres = positive_part(x.times(g, ctx));
  const Matrix identity = Matrix::Identity(g.rows(), g.rows());
  const double floor = 1e-12 * std::max(squares.mean(), 1e-300);

  WeightedRegression regression(x, options.beta / options.alpha, kGram);
  factor_or_throw(regression, Vector::Ones(x.samples()), Vector::Ones(x.features()), ctx);
  WeightedRegression::Solution solution = regression.solve(g, ctx);
  Matrix x_f = x.times_transposed(f, ctx);  // F x_i
  const auto fit_lengths = [&] {            // ||x_i - F'g_i||
    const Matrix f_f_g = (f * f.transpose()) * g;
    return lengths(squares + (g.cwiseProduct(f_f_g - 2 * x_f)).colwise().sum().transpose(), floor);
  };
  const auto regression_lengths = [&] {
    return lengths((solution.fitted - g).colwise().squaredNorm().transpose(), 1e-12 / static_cast<double>(g.cols()));
  };

  Progress progress(ctx, "rufs", options.iterations);
  for (int t = 0; t < options.iterations; ++t) {
    ctx.check_cancelled();
    const Vector e = (2 * fit_lengths()).cwiseInverse();
    const Vector h = (2 * regression_lengths()).cwiseInverse();

    const Matrix g_e = g * e.asDiagonal();
    const Matrix g_e_x = x.times(g_e, ctx);
    multiply(f, positive_part(g_e_x), negative_part(g_e_x) + (g_e * g.transpose()) * f, 0.5);

    x_f = x.times_transposed(f, ctx);
    const Matrix neighbours = g - times_laplacian(g, graph, ctx);
    const Matrix above = positive_part(x_f) * e.asDiagonal() + options.nu * neighbours +
                         options.alpha * (positive_part(solution.fitted) * h.asDiagonal()) + options.gamma * g;
    const Matrix below = ((f * f.transpose()) * g + negative_part(x_f)) * e.asDiagonal() + options.nu * g +
                         options.alpha * ((g + negative_part(solution.fitted)) * h.asDiagonal()) +
                         options.gamma * (g * g.transpose()) * g;
    multiply(g, above, below, 0.25);

    const Vector h_now = (2 * regression_lengths()).cwiseInverse();
    const Vector c = t == 0 ? Vector::Ones(x.features()) : Vector(2 * column_norms(solution.weights));
    factor_or_throw(regression, h_now, c, ctx);
    solution = regression.solve(g, ctx);

    result.objective.push_back(fit_lengths().sum() + options.nu * g.cwiseProduct(times_laplacian(g, graph, ctx)).sum() +
                               options.alpha * regression_lengths().sum() +
                               options.beta * column_norms(solution.weights).sum() +
                               options.gamma / 2 * (g * g.transpose() - identity).squaredNorm());
    progress.advance();
    if (has_settled(result.objective, options.tolerance)) break;
  }
  result.weights = std::move(solution.weights);
  return result;
}

std::unique_ptr<Selector> make_rufs() {
  return std::make_unique<Rufs>();
}

}  // namespace clade
