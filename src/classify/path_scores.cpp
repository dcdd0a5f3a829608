#include "classify/path_scores.h"

#include <algorithm>
#include <limits>

#include "classify/output_scorer.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;

// Adds up outputs along paths. children[o] of the root's classifier is the node of output o.
class PathSums {
 public:
  explicit PathSums(const Model& model)
      : taxonomy_(*model.taxonomy), nodes_(model.nodes[0].children), sums_(static_cast<std::size_t>(taxonomy_.size())) {
    for (const NodeId node : nodes_) {
      weights_.push_back(model.level_weights[static_cast<std::size_t>(taxonomy_.depth(node)) - 1]);
      if (taxonomy_.is_leaf(node)) leaves_.push_back(node);
    }
  }

  // Scores of all nodes by id; those without an output, and what hangs below them only, stay at -infinity.
  const std::vector<double>& sums(std::span<const double> outputs) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    std::fill(sums_.begin(), sums_.end(), kNever);
    sums_[0] = 0;
    for (std::size_t o = 0; o < nodes_.size(); ++o) {  // in id order, so parents come first
      double best = kNever;
      for (const NodeId parent : taxonomy_.parents(nodes_[o]))
        best = std::max(best, sums_[static_cast<std::size_t>(parent)]);
      sums_[static_cast<std::size_t>(nodes_[o])] = best + weights_[o] * outputs[o];
    }
    return sums_;
  }
  const std::vector<NodeId>& leaves() const { return leaves_; }

 private:
  const Taxonomy& taxonomy_;
  const std::vector<NodeId>& nodes_;
  std::vector<double> weights_;
  std::vector<NodeId> leaves_;
  std::vector<double> sums_;
};

}  // namespace

Predictions predict_paths(const Model& model, const Dataset& data, Index top_k, Context& ctx) {
  const NodeClassifier& all = model.nodes[0];
  Predictions predictions;
  const auto samples = static_cast<std::size_t>(data.samples());
  const Index kept = std::min(top_k, static_cast<Index>(PathSums(model).leaves().size()));
  predictions.labels.resize(samples * static_cast<std::size_t>(kept));
  predictions.scores.resize(predictions.labels.size());
  for (Index s = 1; s <= data.samples(); ++s) predictions.offsets.push_back(s * kept);
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
    OutputScorer scorer(model);
    scorer.use(all.linear, end - begin);
    PathSums paths(model);
    std::vector<double> outputs(static_cast<std::size_t>(all.linear.count));
    std::vector<NodeId> leaves = paths.leaves();
    for (Index s = begin; s < end; ++s) {
      scorer.score(data, s, outputs);
      const std::vector<double>& sums = paths.sums(outputs);
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
