#include <algorithm>
#include <numeric>

#include "classify/joint/label_threshold.h"
#include "classify/local/node_problems.h"
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
  v("tolerance", o.tolerance, positive(), "how closely the optimality conditions must be met");
  v("iterations", o.iterations, at_least(1), "largest number of passes over a node's samples");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none");
  describe(v, o.local);
}

// The flat multi-label SVM among the children of a node: every child that a sample is below must score higher, by a
// margin of 1, than every child that it is not below.
class DncSvmNode : public NodeSolver {
 public:
  DncSvmNode(const DncSvmOptions& options, bool has_label_sets, std::uint64_t seed)
      : options_(options), has_label_sets_(has_label_sets), seed_(seed) {}

  NodeSolution solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     std::uint64_t stream, Context& ctx) const override {
    SiblingSvm svm(table.children, {table.offsets, table.columns}, rows, options_.bias);
    const JointSvmResult result = svm.solve(
        options_.c, weight,
        {.tolerance = options_.tolerance, .iterations = options_.iterations, .seed = seed_ ^ (stream << 32)}, ctx);
    NodeSolution solution{.weights = svm.weights(), .has_converged = result.has_converged};
    if (has_label_sets_) subtract_threshold(svm.problem(), svm.scores(), solution.weights);
    solution.order.resize(static_cast<std::size_t>(table.classes()));
    std::iota(solution.order.begin(), solution.order.end(), 0);
    return solution;
  }

 private:
  // Turns scores that only rank into decisions that are positive or negative in themselves. The learnt threshold is a
  // linear function of the scores, and so of the sample: it is subtracted from the weights of all children alike.
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
