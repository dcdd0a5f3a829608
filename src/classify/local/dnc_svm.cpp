#include <algorithm>
#include <numeric>

#include "classify/joint/joint_svm.h"
#include "classify/joint/label_threshold.h"
#include "classify/local/top_down.h"

namespace clade {
namespace {

struct DncSvmOptions {
  double c = 1;
  double tolerance = 0.1;
  int iterations = 1000;
  double bias = 0;
  LocalOptions local{.scale = Scale::kUnit};
};

template <class V>
void describe(V& v, DncSvmOptions& o) {
  v("c", o.c, positive(), "weight of the training errors against the size of the weights");
  v("tolerance", o.tolerance, positive(), "of the optimality conditions, at which a node is solved");
  v("iterations", o.iterations, at_least(1), "passes over a node's samples at most");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none");
  describe(v, o.local);
}

JointProblem problem_of(const NodeTable& table) {
  return {table.children, flat_attributes(table.children), ClassLoss::zero_one(table.classes()),
          SampleClasses{table.offsets, table.columns}};
}

// Among the children of a node the flat multi-label SVM: every child that a sample is below before every child that it
// is not below, by a margin of 1.
class DncSvmNode : public NodeSolver {
 public:
  DncSvmNode(const DncSvmOptions& options, bool has_label_sets, std::uint64_t seed)
      : options_(options), has_label_sets_(has_label_sets), seed_(seed) {}

  NodeSolution solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     std::uint64_t stream, Context& ctx) const override {
    const JointProblem problem = problem_of(table);
    const TrainingRows longer = with_constant(rows, options_.bias);
    LinearScores<double> scores(longer, table.classes());
    std::vector<double> cost(static_cast<std::size_t>(rows.rows()), options_.c);
    for (std::size_t r = 0; r < weight.size(); ++r) cost[r] *= weight[r];
    JointVariables variables;
    const JointSvmResult result = solve_joint_svm(
        problem, scores, cost, variables,
        {.tolerance = options_.tolerance, .iterations = options_.iterations, .seed = seed_ ^ (stream << 32)}, ctx);
    NodeSolution solution{.weights = weights_of(scores, rows.width()), .is_converged = result.is_converged};
    if (has_label_sets_) subtract_threshold(problem, scores, solution.weights);
    solution.order.resize(static_cast<std::size_t>(table.classes()));
    std::iota(solution.order.begin(), solution.order.end(), 0);
    return solution;
  }

 private:
  LinearWeights weights_of(const LinearScores<double>& scores, Index width) const {
    const auto classes = static_cast<std::size_t>(scores.weights().attributes());
    LinearWeights weights{.w = std::vector(classes, std::vector<double>(static_cast<std::size_t>(width), 0)),
                          .bias = std::vector<double>(classes, 0)};
    for (Index f = 0; f < scores.weights().features(); ++f) {
      scores.weights().for_each(f, [&](std::int32_t child, double value) {
        const auto at = static_cast<std::size_t>(child);
        if (f < width) {
          weights.w[at][static_cast<std::size_t>(f)] = value;
        } else {
          weights.bias[at] = options_.bias * value;
        }
      });
    }
    return weights;
  }

  // Scores that only rank become decisions that are positive or negative in themselves. The learnt threshold is a
  // linear function of the scores, so of the sample: it is taken off the weights of all children alike.
  static void subtract_threshold(const JointProblem& problem, const LinearScores<double>& scores,
                                 LinearWeights& weights) {
    const auto classes = weights.bias.size();
    ThresholdFit fit(std::ssize(weights.bias));
    std::vector<double> output(static_cast<std::size_t>(scores.stride()));
    std::vector<char> is_label(classes);
    for (Index i = 0; i < scores.samples(); ++i) {
      scores.outputs(i, output.data());
      std::fill(is_label.begin(), is_label.end(), 0);
      for (const std::int32_t child : problem.labels.of(i)) is_label[static_cast<std::size_t>(child)] = 1;
      fit.add(std::span(output).first(classes), is_label);
    }
    const std::vector<double> threshold = fit.solve();
    double bias = threshold.back();
    for (std::size_t c = 0; c < classes; ++c) bias += threshold[c] * weights.bias[c];
    for (double& b : weights.bias) b -= bias;
    for (std::size_t f = 0; f < weights.w[0].size(); ++f) {
      double shared = 0;
      for (std::size_t c = 0; c < classes; ++c) shared += threshold[c] * weights.w[c][f];
      for (auto& w : weights.w) w[f] -= shared;
    }
  }

  const DncSvmOptions& options_;
  bool has_label_sets_;
  std::uint64_t seed_;
};

class DncSvm : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    return train_top_down(input, DncSvmNode(options_, has_several_labels(input.data), ctx.seed()), options_.local, ctx);
  }

 private:
  DncSvmOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_dnc_svm() {
  return std::make_unique<DncSvm>();
}

}  // namespace clade
