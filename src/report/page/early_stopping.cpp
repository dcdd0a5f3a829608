#include "report/page/early_stopping.h"

#include <algorithm>

#include "classify/apply.h"
#include "classify/model_body.h"

namespace clade {
namespace {

constexpr int kThresholds = 50;  // of equal distance; a few more lie near 1, where much happens

std::vector<double> thresholds() {
  std::vector<double> result;
  for (int k = 0; k < kThresholds; ++k) result.push_back(static_cast<double>(k) / kThresholds);
  result.insert(result.end(), {0.99, 0.995, 0.999});
  return result;
}

bool is_right(const Taxonomy& taxonomy, NodeId answer, std::span<const NodeId> truth) {
  return std::ranges::any_of(truth,
                             [&](NodeId label) { return answer == label || taxonomy.is_ancestor(answer, label); });
}

struct Tally {
  double answered = 0;
  double right = 0;
  double full = 0;
  double depth = 0;
};

// The sample's path has the probabilities of its nodes, which never rise on the way down.
void add_answer(std::span<const LevelAnswer> path, std::span<const NodeId> truth, const Taxonomy& taxonomy,
                double threshold, Tally& tally) {
  std::size_t depth = 0;
  while (depth < path.size() && path[depth].probability >= threshold) ++depth;
  tally.full += depth == path.size() ? 1 : 0;
  tally.depth += path.empty() ? 1 : static_cast<double>(depth) / static_cast<double>(path.size());
  if (depth == 0) return;
  tally.answered += 1;
  tally.right += is_right(taxonomy, path[depth - 1].node, truth) ? 1 : 0;
}

}  // namespace

std::vector<EarlyStop> early_stopping(const Model& model, const Dataset& data, const JudgedSamples& judged,
                                      const Taxonomy& taxonomy, const PredictOptions& options, Context& ctx) {
  if (!model.has_probabilities() || model.is_multilabel() || !model.taxonomy().is_tree()) return {};
  const Dataset fitting = with_model_features(data, model.body(), options.align_features, ctx).subset(judged.samples);
  Predictions first;
  for (const NodeId label : judged.first) {
    first.labels.push_back(label);
    first.scores.push_back(1);
    first.offsets.push_back(std::ssize(first.labels));
  }
  const auto paths = levels_of(model, fitting, first, ctx);
  const auto samples = static_cast<double>(paths.size());
  std::vector<EarlyStop> result;
  for (const double threshold : thresholds()) {
    Tally tally;
    for (std::size_t s = 0; s < paths.size(); ++s) {
      add_answer(paths[s], judged.truth.of(static_cast<Index>(s)), taxonomy, threshold, tally);
    }
    if (tally.answered == 0) break;
    result.push_back({threshold, tally.answered / samples, tally.right / tally.answered, tally.full / samples,
                      tally.depth / samples});
  }
  return result;
}

}  // namespace clade
