#include "pipeline/kept_predictions.h"

#include <algorithm>

namespace clade {
namespace {

// The first labels of every sample, as many as count(scores) says, and the root where there is none.
template <class Count>
Predictions first_labels(const Predictions& all, NodeId root, const Count& count) {
  Predictions result;
  for (Index s = 0; s < all.samples(); ++s) {
    const auto labels = all.labels_of(s);
    const auto scores = all.scores_of(s);
    const auto kept = static_cast<std::ptrdiff_t>(std::min(labels.size(), count(scores)));
    result.labels.insert(result.labels.end(), labels.begin(), labels.begin() + kept);
    result.scores.insert(result.scores.end(), scores.begin(), scores.begin() + kept);
    if (labels.empty()) {
      result.labels.push_back(root);
      result.scores.push_back(0);
    }
    result.offsets.push_back(std::ssize(result.labels));
  }
  return result;
}

bool has_one_label_each(const Dataset& data) {
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).size() > 1) return false;
  }
  return true;
}

}  // namespace

Predictions kept_predictions(const Dataset& data, const Predictions& predictions, const Predictions& decided,
                             std::optional<double> cut, const EvaluateOptions& options, LearningPlan::Keep keep) {
  const NodeId root = data.taxonomy().root();
  const auto all = [](std::span<const double> scores) { return scores.size(); };
  // Which labels count, other options may say again of rankings alone.
  const bool are_sets = keep == LearningPlan::Keep::kSets && options.label_set == LabelSet::kAuto;
  if (!are_sets) return first_labels(predictions, root, all);
  if (decided.samples() > 0) return first_labels(decided, root, all);
  if (cut) {
    return first_labels(predictions, root, [&](std::span<const double> scores) {
      const auto below = std::ranges::find_if(scores, [&](double score) { return score < *cut; });
      return std::max<std::size_t>(1, static_cast<std::size_t>(below - scores.begin()));
    });
  }
  if (!has_one_label_each(data)) return first_labels(predictions, root, all);
  return first_labels(predictions, root, [](std::span<const double>) { return std::size_t{1}; });
}

}  // namespace clade
