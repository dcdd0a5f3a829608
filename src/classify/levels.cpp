#include "classify/levels.h"

#include <clade/error.h>

#include <algorithm>

#include "classify/class_probabilities.h"
#include "classify/class_scores.h"
#include "classify/label_tree.h"
#include "classify/model_kinds.h"
#include "classify/node_decision.h"
#include "classify/node_scores.h"
#include "classify/output_scorer.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;

// The nodes below the root on the way to a label, which is the last.
std::vector<LevelAnswer> path_to(const Taxonomy& taxonomy, NodeId label) {
  std::vector<LevelAnswer> path;
  for (NodeId node = label; node != taxonomy.root(); node = taxonomy.parents(node)[0]) path.push_back({node, 1});
  std::ranges::reverse(path);
  return path;
}

// The products of probabilities on the way from the root to a node of a top-down model.
class Descent {
 public:
  explicit Descent(const ModelBody& model) : model_(model), scorer_(model), search_(model) {}

  void judge(const Dataset& data, Index sample, std::vector<LevelAnswer>& path) {
    double probability = 1;
    NodeId at = model_.taxonomy->root();
    for (LevelAnswer& step : path) {
      probability *= share_of(data, sample, at, step.node);
      step.probability = probability;
      at = step.node;
    }
  }

 private:
  double share_of(const Dataset& data, Index sample, NodeId node, NodeId child) {
    const NodeClassifier* const classifier = model_.at(node);
    if (classifier == nullptr) return 0;
    const auto found = std::ranges::find(classifier->children, child);
    if (found == classifier->children.end()) return 0;
    if (classifier->children.size() == 1) return 1;
    scores_.resize(classifier->children.size());
    probabilities_.resize(classifier->children.size());
    const auto place = found - classifier->children.begin();
    if (classifier->tree) {
      search_.judge(*classifier, data, sample, scores_, probabilities_, static_cast<std::int32_t>(place));
      return probabilities_[static_cast<std::size_t>(place)];
    }
    outputs_.resize(static_cast<std::size_t>(classifier->linear.count));
    scorer_.use(classifier->linear, 1);
    scorer_.score(data, sample, outputs_);
    child_scores(*classifier, outputs_, scores_);
    child_probabilities(*classifier, scores_, model_.is_multilabel, probabilities_);
    return probabilities_[static_cast<std::size_t>(place)];
  }

  const ModelBody& model_;
  OutputScorer scorer_;
  LabelTreeSearch search_;
  std::vector<double> outputs_;
  std::vector<double> scores_;
  std::vector<double> probabilities_;
};

}  // namespace

void require_levels(const ModelBody& model) {
  if (!model.has_probabilities) {
    throw usage_error("`levels` needs probabilities, and the model has none", "expected one trained with `calibrate`");
  }
  if (model.is_multilabel) {
    throw usage_error("`levels` is for one label per sample, and the model gives several",
                      "expected `top-k`, or labels with `threshold`");
  }
  if (!model.taxonomy->is_tree()) {
    throw usage_error("`levels` needs one node on every level above a class, and the hierarchy is a DAG",
                      "expected a model over a tree");
  }
}

std::vector<std::vector<LevelAnswer>> levels_of(const ModelBody& model, const Dataset& data,
                                                const Predictions& predictions, Context& ctx) {
  require_levels(model);
  std::vector<std::vector<LevelAnswer>> levels(predictions.labels.size());
  const auto paths_of = [&](Index s, const auto& judge) {
    for (Index k = predictions.offsets[static_cast<std::size_t>(s)];
         k < predictions.offsets[static_cast<std::size_t>(s) + 1]; ++k) {
      auto& path = levels[static_cast<std::size_t>(k)];
      path = path_to(*model.taxonomy, predictions.labels[static_cast<std::size_t>(k)]);
      judge(path);
    }
  };
  if (info_of(model.kind).decides_at_nodes) {
    parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
      Descent descent(model);
      for (Index s = begin; s < end; ++s) paths_of(s, [&](auto& path) { descent.judge(data, s, path); });
    });
    return levels;
  }
  if (model.node_model) {
    const NodeScores scores = node_scores(model, data, Consistency::kDescendants, ctx);
    for (Index s = 0; s < data.samples(); ++s) {
      paths_of(s, [&](auto& path) {
        for (LevelAnswer& step : path) step.probability = scores.of(s)[static_cast<std::size_t>(step.node)];
      });
    }
    return levels;
  }
  const NodeProbabilities any(model);
  for_each_class_scores(model, data, 0, data.samples(), ctx, [&](Index s, std::span<const double> scores) {
    std::vector<double> probabilities(scores.size());
    class_probabilities(model, scores, probabilities);
    NodeProbabilities nodes = any;
    nodes.set(probabilities);
    paths_of(s, [&](auto& path) {
      for (LevelAnswer& step : path) step.probability = std::min(1.0, nodes.of(step.node));
    });
  });
  return levels;
}

}  // namespace clade
