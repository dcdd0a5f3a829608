// A blend of kernel ridge regression and a forest: the scores of a node are
//
//   (1 - share) ridge + share forest
//
// with the share, one for all nodes, that gives the scores of samples by models that have not seen them the largest
// area under the pooled precision-recall curve. The two err in different ways, so the blend is mostly better than both.

#include <clade/error.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "classify/classifier.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "data/closed_labels.h"
#include "math/pooled_ranking.h"

namespace clade {

std::unique_ptr<Classifier> make_kernel_ridge();
std::unique_ptr<Classifier> make_forest();

namespace {

struct BlendOptions {
  double share = std::numeric_limits<double>::quiet_NaN();
  Index trees = 300;
};

template <class V>
void describe(V& v, BlendOptions& o) {
  v("trees", o.trees, between(1, 1 << 20), "number of trees of the forest");
  v("share", o.share, between(0, 1), "weight of the forest; auto: chosen by scores of samples held out");
}

class Blend : public Classifier {
 public:
  Blend() : ridge_(make_kernel_ridge()), forest_(make_forest()) {}

  ParameterTable parameters() override { return ParameterTable(options_); }
  void check(ChosenFeatures chosen) const override { ridge_->check(chosen); }
  bool takes_missing_values() const override { return true; }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    ridge_->parameters().set("objective", "au-prc");
    forest_->parameters().set("trees", fmt::format("{}", options_.trees));
    TrainingInput kept = input;
    kept.keeps_held_out = true;
    ModelBody ridge = ridge_->train(kept, ctx);
    const ModelBody forest = forest_->train(kept, ctx);
    const ClosedLabels labels = closed_labels(input.data, input.weight);
    const Matrix& by_ridge = ridge.node_model->held_out;
    const Matrix& by_forest = forest.node_model->held_out;
    if (by_forest.size() == 0) {
      throw usage_error(
          fmt::format("{} samples x {} nodes are too many for a blend", input.data.samples(), labels.columns()),
          "expected at most 134 million scores; kernel-ridge and forest take more");
    }
    const double share = std::isnan(options_.share) ? best_share(by_ridge, by_forest, labels, ctx) : options_.share;

    auto nodes = std::make_shared<NodeModel>(*ridge.node_model);
    nodes->held_out.resize(0, 0);
    for (double& mean : nodes->mean) mean *= 1 - share;
    nodes->ridge->coefficient *= 1 - share;
    nodes->forest = forest.node_model->forest;
    nodes->forest_share = share;
    ModelBody model = std::move(ridge);
    learn_decisions(*nodes, model.node_threshold, input.data, labels, (1 - share) * by_ridge + share * by_forest, ctx);
    model.node_model = std::move(nodes);
    model.summary.insert(model.summary.end(), forest.summary.begin(), forest.summary.end());
    model.summary.emplace_back("share of the forest", fmt::format("{:.2g}", share));
    return model;
  }

 private:
  static double best_share(const Matrix& by_ridge, const Matrix& by_forest, const ClosedLabels& labels, Context& ctx) {
    double best = 0;
    double largest = -1;
    for (int tenth = 0; tenth <= 10; ++tenth) {
      const double share = tenth / 10.0;
      const double area =
          average_precision(rank_pairs((1 - share) * by_ridge + share * by_forest, labels.members, ctx));
      if (area <= largest) continue;
      largest = area;
      best = share;
    }
    return best;
  }

  BlendOptions options_;
  std::unique_ptr<Classifier> ridge_;
  std::unique_ptr<Classifier> forest_;
};

}  // namespace

std::unique_ptr<Classifier> make_blend() {
  return std::make_unique<Blend>();
}

}  // namespace clade
