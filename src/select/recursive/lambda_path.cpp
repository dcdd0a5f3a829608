#include "select/recursive/lambda_path.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace clade {
namespace {

// The tables restricted to the samples inside or outside a fold, with the same children.
std::vector<NodeTable> restricted(const std::vector<NodeTable>& tables, const std::vector<int>& fold_of_sample,
                                  int fold, bool is_inside) {
  std::vector<NodeTable> result;
  for (const NodeTable& all : tables) {
    NodeTable some{.node = all.node, .children = all.children};
    for (Index r = 0; r < all.samples(); ++r) {
      const Index sample = all.rows[static_cast<std::size_t>(r)];
      if ((fold_of_sample[static_cast<std::size_t>(sample)] == fold) != is_inside) continue;
      some.rows.push_back(sample);
      const auto labels = all.labels(r);
      some.columns.insert(some.columns.end(), labels.begin(), labels.end());
      some.offsets.push_back(std::ssize(some.columns));
    }
    result.push_back(std::move(some));
  }
  return result;
}

double error_of(const Dataset& data, const NodeTable& table, const Matrix& w) {
  // With a feature's weights contiguous; most are zero and cost nothing.
  const Matrix by_feature = w.transpose();
  const Vector norms = w.rowwise().squaredNorm();
  double sum = 0;
  Vector residual(w.cols());
  for (Index r = 0; r < table.samples(); ++r) {
    residual.setZero();
    data.for_each_value(table.rows[static_cast<std::size_t>(r)], [&](FeatureIndex f, auto value) {
      if (norms(f) > 0) residual += static_cast<double>(value) * by_feature.col(f);
    });
    for (const std::int32_t column : table.labels(r)) residual(column) -= 1;
    sum += residual.squaredNorm();
  }
  return sum;
}

}  // namespace

std::vector<double> lambda_grid(double largest, int values, double ratio) {
  std::vector<double> lambdas;
  for (int k = 0; k < values; ++k) {
    lambdas.push_back(k == 0 ? largest : largest * std::pow(ratio, static_cast<double>(k) / (values - 1)));
  }
  return lambdas;
}

LambdaPath follow_path(const Problem& problem, CoupledMethod& method, const std::vector<double>& lambdas,
                       const ExactOptions& options, const std::function<void(std::size_t, const Weights&)>& visit,
                       Context& ctx) {
  LambdaPath path;
  path.weights.assign(problem.size(), Matrix::Zero(problem.features(), problem.width()));
  path.enters.assign(problem.size(), std::vector<double>(static_cast<std::size_t>(problem.features()), 0));
  ExactOptions at = options;
  for (std::size_t k = 0; k < lambdas.size(); ++k) {
    at.lambda = lambdas[k];
    ExactResult found = solve_exactly(problem, method, std::move(path.weights), at, ctx);
    path.weights = std::move(found.weights);
    path.objective.push_back(found.objective.back());
    path.gap = std::max(path.gap, found.gap);
    path.has_converged = path.has_converged && found.has_converged;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const auto own = path.weights[i].leftCols(problem.node(i).classes());
      for (Index f = 0; f < problem.features(); ++f) {
        double& first = path.enters[i][static_cast<std::size_t>(f)];
        if (first == 0 && !own.row(f).isZero(0)) first = lambdas[k];
      }
    }
    if (visit) visit(k, path.weights);
  }
  return path;
}

std::vector<double> held_out_errors(const Dataset& data, const std::vector<NodeTable>& tables, const MakeMethod& make,
                                    const std::vector<double>& lambdas, const std::vector<int>& fold_of_sample,
                                    const ExactOptions& options, Context& ctx) {
  std::vector<double> errors(lambdas.size(), 0);
  const int folds = 1 + *std::max_element(fold_of_sample.begin(), fold_of_sample.end());
  for (int fold = 0; fold < folds; ++fold) {
    const std::vector<NodeTable> train = restricted(tables, fold_of_sample, fold, false);
    const std::vector<NodeTable> test = restricted(tables, fold_of_sample, fold, true);
    const auto outside = std::count_if(fold_of_sample.begin(), fold_of_sample.end(), [&](int f) { return f != fold; });
    const double share = static_cast<double>(outside) / static_cast<double>(fold_of_sample.size());
    std::vector<double> scaled = lambdas;
    for (double& lambda : scaled) lambda *= share;
    const Problem problem(data, train, ctx);
    const std::unique_ptr<CoupledMethod> method = make();
    method->prepare(problem, ctx);
    follow_path(
        problem, *method, scaled, options,
        [&](std::size_t k, const Weights& w) {
          errors[k] += parallel_reduce(
              ctx, static_cast<Index>(test.size()), 1, 0.0,
              [&](Index i, Index) {
                const auto at = static_cast<std::size_t>(i);
                return error_of(data, test[at], w[at]);
              },
              [](double& total, double part) { total += part; });
        },
        ctx);
  }
  return errors;
}

}  // namespace clade
