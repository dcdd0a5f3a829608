#include "classify/class_answers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "classify/class_probabilities.h"
#include "classify/class_scores.h"
#include "classify/decide/label_decisions.h"
#include "classify/linear_scores.h"
#include "core/parallel.h"
#include "data/missing.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;

struct Answer {
  std::vector<NodeId> labels;  // best first
  std::vector<double> scores;
};

// In several strands, because each comparison waits for the one before.
double largest_of(std::span<const double> values) {
  constexpr std::size_t kStrands = 8;
  std::array<double, kStrands> largest;
  largest.fill(values[0]);
  for (std::size_t k = 0; k < values.size(); ++k) {
    double& own = largest[k % kStrands];
    own = values[k] > own ? values[k] : own;
  }
  return *std::ranges::max_element(largest);
}

// Turns the scores of one sample into its labels.
class Answers {
 public:
  Answers(const ModelBody& model, const PredictOptions& options)
      : model_(model),
        options_(options),
        classes_(scored_classes(model)),
        is_ranked_(ranks_all_classes(model, options)) {
    if (options.confidence > 0) nodes_.emplace(model);
  }

  Answer of(std::span<const double> scores) const {
    Answer answer;
    if (!model_.has_probabilities) {
      const double threshold = label_threshold(model_, scores);
      add_best(scores, scores, count_by_score(scores, threshold), is_ranked_ ? threshold : 0, answer);
      return answer;
    }
    std::vector<double> probabilities(scores.size());
    class_probabilities(model_, scores, probabilities);
    if (nodes_) {
      stop_at_confidence(probabilities, answer);
    } else {
      add_best(probabilities, scores, count_by_probability(probabilities), 0, answer);
    }
    return answer;
  }

 private:
  // How many labels the options ask for; nothing: that depends on the sample.
  std::optional<std::size_t> asked_count() const {
    if (is_ranked_) return classes_.size();
    if (options_.label_set == LabelSet::kTop1) return 1;
    if (options_.label_set == LabelSet::kTopK || options_.top_k > 0) {
      return static_cast<std::size_t>(options_.label_count());
    }
    return std::nullopt;
  }
  std::size_t count_by_score(std::span<const double> scores, double threshold) const {
    if (const auto asked = asked_count()) return *asked;
    if (model_.threshold.empty()) return 1;
    return static_cast<std::size_t>(std::ranges::count_if(scores, [&](double s) { return s > threshold; }));
  }
  std::size_t count_by_probability(std::span<const double> probabilities) const {
    if (const auto asked = asked_count()) return *asked;
    if (!model_.is_multilabel) return 1;
    const double least = options_.threshold > 0 ? options_.threshold : *label_cut(model_);
    return static_cast<std::size_t>(std::ranges::count_if(probabilities, [&](double p) { return p >= least; }));
  }

  // Scores decide between probabilities that are equal because they are too small, or too close to 1.
  void add_best(std::span<const double> values, std::span<const double> scores, std::size_t wanted, double subtracted,
                Answer& answer) const {
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, values.size());
    const auto comes_first = [&](std::size_t a, std::size_t b) {
      if (values[a] != values[b]) return values[a] > values[b];
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    };
    const auto add = [&](std::size_t c) {
      answer.labels.push_back(model_.taxonomy->fold(classes_[c]));
      answer.scores.push_back(values[c] - subtracted);
    };
    if (count == 1) {
      const double largest = largest_of(values);
      std::size_t best = 0;
      for (std::size_t c = 1; c < values.size(); ++c) {
        if (values[c] == largest && comes_first(c, best)) best = c;
      }
      return add(best);
    }
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), comes_first);
    for (std::size_t k = 0; k < count; ++k) add(order[k]);
  }

  // From the root down to the most probable child, as long as that is probable enough.
  void stop_at_confidence(std::span<const double> probabilities, Answer& answer) const {
    NodeProbabilities nodes = *nodes_;
    nodes.set(probabilities);
    NodeId node = model_.taxonomy->root();
    for (NodeId child = nodes.best_child(node); child != kNoNode && nodes.of(child) >= options_.confidence;
         child = nodes.best_child(node)) {
      node = child;
    }
    answer.labels.push_back(model_.taxonomy->fold(node));
    answer.scores.push_back(std::min(1.0, nodes.of(node)));
  }

  const ModelBody& model_;
  const PredictOptions& options_;
  std::vector<NodeId> classes_;
  bool is_ranked_;
  std::optional<NodeProbabilities> nodes_;
};

}  // namespace

Predictions predict_at_once(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) { require_finite(data, begin, end); });
  const Answers answers(model, options);
  std::vector<Answer> found(static_cast<std::size_t>(data.samples()));
  for_each_class_scores(model, data, 0, data.samples(), ctx, [&](Index s, std::span<const double> scores) {
    found[static_cast<std::size_t>(s)] = answers.of(scores);
  });
  Predictions predictions;
  predictions.offsets.resize(found.size() + 1);
  for (std::size_t s = 0; s < found.size(); ++s) {
    predictions.offsets[s + 1] = predictions.offsets[s] + std::ssize(found[s].labels);
  }
  predictions.labels.resize(static_cast<std::size_t>(predictions.offsets.back()));
  predictions.scores.resize(predictions.labels.size());
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
      std::ranges::copy(found[s].labels, predictions.labels.begin() + predictions.offsets[s]);
      std::ranges::copy(found[s].scores, predictions.scores.begin() + predictions.offsets[s]);
      found[s] = {};
    }
  });
  return predictions;
}

}  // namespace clade
