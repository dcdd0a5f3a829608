#include "classify/path_scores.h"

#include <algorithm>

#include "classify/output_scorer.h"
#include "core/parallel.h"
#include "data/missing.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;

}  // namespace

Predictions predict_paths(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  const NodeClassifier& all = model.nodes[0];
  Predictions predictions;
  const auto samples = static_cast<std::size_t>(data.samples());
  const PathSums any(*model.taxonomy, all.children, model.level_weights);
  const Index kept = std::min(options.label_count(), std::ssize(any.leaves()));
  predictions.labels.resize(samples * static_cast<std::size_t>(kept));
  predictions.scores.resize(predictions.labels.size());
  for (Index s = 1; s <= data.samples(); ++s) predictions.offsets.push_back(s * kept);
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
    require_finite(data, begin, end);
    OutputScorer scorer(model);
    scorer.use(all.linear, end - begin);
    PathSums paths = any;
    std::vector<double> outputs(static_cast<std::size_t>(all.linear.count));
    std::vector<NodeId> leaves = paths.leaves();
    for (Index s = begin; s < end; ++s) {
      scorer.score(data, s, outputs);
      const std::vector<double>& sums = paths.sums(std::span<const double>(outputs));
      std::partial_sort(leaves.begin(), leaves.begin() + kept, leaves.end(), [&](NodeId a, NodeId b) {
        const double score_a = sums[static_cast<std::size_t>(a)];
        const double score_b = sums[static_cast<std::size_t>(b)];
        return score_a != score_b ? score_a > score_b : a < b;
      });
      for (Index k = 0; k < kept; ++k) {
        const NodeId leaf = leaves[static_cast<std::size_t>(k)];
        predictions.labels[static_cast<std::size_t>(s * kept + k)] = model.taxonomy->fold(leaf);
        predictions.scores[static_cast<std::size_t>(s * kept + k)] = sums[static_cast<std::size_t>(leaf)];
      }
    }
  });
  return predictions;
}

}  // namespace clade
