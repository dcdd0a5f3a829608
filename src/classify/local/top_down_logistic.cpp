#include <cmath>
#include <limits>
#include <numeric>

#include "classify/linear/multinomial_logistic.h"
#include "classify/local/node_problems.h"
#include "classify/local/top_down.h"

namespace clade {
namespace {

struct TopDownLogisticOptions {
  double c = std::numeric_limits<double>::quiet_NaN();  // set from the length of the samples
  double tolerance = 1e-3;
  int iterations = 200;
  LocalOptions local;
};

template <class V>
void describe(V& v, TopDownLogisticOptions& o) {
  v("c", o.c, positive(),
    "weight of the training errors against the size of the weights; auto: 10 over the mean squared length of samples");
  v("tolerance", o.tolerance, positive(),
    "stop when the largest entry of the gradient has fallen to this share of its start");
  v("iterations", o.iterations, at_least(1), "largest number of steps");
  describe(v, o.local);
}

// With this C, scores have about the same range for any number and scale of features.
double natural_c(Index rows, double squares) {
  constexpr double kMargins = 10;
  return squares > 0 ? kMargins * static_cast<double>(rows) / squares : kMargins;
}

double squared_length(const TrainingRows& rows) {
  double squares = 0;
  for (const double value : rows.values) squares += value * value;
  return squares;
}

NodeSolution solution_of(LinearWeights weights, bool has_converged) {
  NodeSolution solution{.weights = std::move(weights), .has_converged = has_converged};
  solution.order.resize(solution.weights.w.size());
  std::iota(solution.order.begin(), solution.order.end(), 0);
  return solution;
}

class LogisticNode : public NodeSolver {
 public:
  explicit LogisticNode(const TopDownLogisticOptions& options) : options_(options) {}

  NodeSolution solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     std::uint64_t /*stream*/, Context& ctx) const override {
    SharedOut shared;
    share_out(table, rows, weight, shared);
    LogisticResult result = multinomial_logistic(*shared.rows, shared.label, table.classes(), shared.weight,
                                                 {.c = c_for(rows.rows(), squared_length(rows)),
                                                  .tolerance = options_.tolerance,
                                                  .iterations = options_.iterations},
                                                 ctx);
    return solution_of(std::move(result.weights), result.has_converged);
  }

  bool takes_blocks() const override { return true; }
  NodeSolution solve_blocks(const NodeTable& table, RowBlocks blocks, Context& ctx) const override {
    const Vector squares =
        blocks.sum(1, [](const RowBlocks::Block& block, Vector& sum) { sum(0) = squared_length(block.rows); });
    const double c = c_for(table.samples(), squares(0));
    RowBlocksResult result = minimise_over_blocks(
        blocks, table.classes(),
        [&](const RowBlocks::Block& block) {
          return std::make_unique<SoftmaxLoss>(RowClasses{block.table.offsets, block.table.columns}, table.classes(),
                                               block.weight, c);
        },
        {.has_bias = true, .tolerance = options_.tolerance, .iterations = options_.iterations}, ctx);
    return solution_of(std::move(result.weights), result.has_converged);
  }

 private:
  double c_for(Index rows, double squares) const {
    return std::isnan(options_.c) ? natural_c(rows, squares) : options_.c;
  }

  const TopDownLogisticOptions& options_;
};

class TopDownLogistic : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  bool takes_row_parts() const override { return options_.local.takes_row_parts(); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    ModelBody model = train_top_down(input, LogisticNode(options_), options_.local, ctx);
    model.has_probabilities = true;
    // Scores are log-probabilities up to a constant, unless held-out samples show otherwise.
    if (options_.local.calibrate == Calibrate::kNone) {
      for (NodeClassifier& node : model.nodes) node.temperature = 1;
    }
    return model;
  }

 private:
  TopDownLogisticOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_top_down_logistic() {
  return std::make_unique<TopDownLogistic>();
}

}  // namespace clade
