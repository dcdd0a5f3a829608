#include "classify/decide/label_decisions.h"

#include <algorithm>

#include "classify/model_kinds.h"
#include "classify/nodes/node_decisions.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kSetsPerTask = 128;

}  // namespace

void LabelDecisions::apply(std::span<double> scores) const {
  for (std::size_t node = 1; node < scores.size(); ++node) {
    scores[node] = mixed(trust > 0 ? map(scores[node]) : 0, frequency[node]);
  }
}

bool ranks_all_classes(const ModelBody& model, const PredictOptions& options) {
  return options.is_ranked && info_of(model.kind).ranks_all_classes;
}

bool gives_label_sets(const ModelBody& model, const PredictOptions& options) {
  return model.is_multilabel && options.top_k == 0 && !ranks_all_classes(model, options);
}

bool decides_by_thresholds(const ModelBody& model, const PredictOptions& options) {
  if (!model.is_multilabel || model.node_threshold.empty()) return false;
  const bool has_policy = options.policy != Policy::kAuto && model.kind != ModelKind::kNodes;
  const bool asks_for_labels = !has_policy && options.confidence == 0 && options.top_k == 0 && options.beam == 0 &&
                               options.label_set == LabelSet::kAuto && options.threshold == 0;
  return asks_for_labels && !ranks_all_classes(model, options);
}

void append(const Predictions& more, Predictions& all) {
  const Index before = std::ssize(all.labels);
  all.labels.insert(all.labels.end(), more.labels.begin(), more.labels.end());
  all.scores.insert(all.scores.end(), more.scores.begin(), more.scores.end());
  for (std::size_t s = 1; s < more.offsets.size(); ++s) all.offsets.push_back(before + more.offsets[s]);
}

Predictions decided_sets(const ModelBody& model, const NodeScores& scores, Context& ctx) {
  std::vector<Predictions> sets(static_cast<std::size_t>(chunk_count(scores.samples(), kSetsPerTask)));
  parallel_for(ctx, scores.samples(), kSetsPerTask, [&](Index begin, Index end) {
    Predictions& own = sets[static_cast<std::size_t>(begin / kSetsPerTask)];
    for (Index s = begin; s < end; ++s) {
      std::vector<double> row(scores.of(s).begin(), scores.of(s).end());
      if (model.decisions) model.decisions->apply(row);
      std::vector<NodeId> labels = decided_labels(*model.taxonomy, row, model.node_threshold);
      std::ranges::sort(labels, [&](NodeId a, NodeId b) {
        const double of_a = row[static_cast<std::size_t>(a)];
        const double of_b = row[static_cast<std::size_t>(b)];
        return of_a != of_b ? of_a > of_b : a < b;
      });
      for (const NodeId label : labels) {
        own.labels.push_back(label);
        own.scores.push_back(row[static_cast<std::size_t>(label)]);
      }
      own.offsets.push_back(std::ssize(own.labels));
    }
  });
  Predictions result;
  for (const Predictions& own : sets) append(own, result);
  return result;
}

}  // namespace clade
