#include "classify/class_scores.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "data/missing.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;

// The labels of one sample, best first.
class Ranker {
 public:
  Ranker(const Model& model, const PredictOptions& options)
      : model_(model), options_(options), order_(model.nodes[0].children.size()) {
    std::iota(order_.begin(), order_.end(), std::int32_t{0});
  }

  void append(const std::vector<double>& scores, std::vector<NodeId>& labels, std::vector<double>& values) {
    double threshold = 0;
    std::size_t count = 0;
    if (!model_.threshold.empty()) {
      threshold = model_.threshold.back();
      for (std::size_t c = 0; c < scores.size(); ++c) threshold += model_.threshold[c] * scores[c];
    }
    if (options_.is_ranked) {
      count = scores.size();
    } else if (options_.label_rule == LabelRule::kTop1) {
      count = 1;
    } else if (options_.label_rule == LabelRule::kTopK || options_.top_k > 1 || model_.threshold.empty()) {
      count = static_cast<std::size_t>(options_.top_k);
    } else {
      count = static_cast<std::size_t>(
          std::count_if(scores.begin(), scores.end(), [&](double s) { return s > threshold; }));
    }
    count = std::clamp<std::size_t>(count, 1, scores.size());
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count), order_.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        const double score_a = scores[static_cast<std::size_t>(a)];
                        const double score_b = scores[static_cast<std::size_t>(b)];
                        return score_a != score_b ? score_a > score_b : a < b;
                      });
    for (std::size_t k = 0; k < count; ++k) {
      const auto c = static_cast<std::size_t>(order_[k]);
      labels.push_back(model_.taxonomy->fold(model_.nodes[0].children[c]));
      values.push_back(scores[c] - (options_.is_ranked ? threshold : 0));
    }
  }

 private:
  const Model& model_;
  const PredictOptions& options_;
  std::vector<std::int32_t> order_;
};

}  // namespace

ClassScores::ClassScores(const Model& model)
    : model_(model),
      scorer_(model),
      outputs_(static_cast<std::size_t>(model.nodes[0].linear.count)),
      scores_(model.nodes[0].children.size()) {}

const std::vector<double>& ClassScores::of(const Dataset& data, Index sample) {
  scorer_.use(model_.nodes[0].linear, kSamplesPerTask);
  scorer_.score(data, sample, outputs_);
  for (std::size_t y = 0; y < scores_.size(); ++y) {
    const auto index = model_.attributes.index_of(static_cast<Index>(y));
    const auto value = model_.attributes.value_of(static_cast<Index>(y));
    double sum = 0;
    for (std::size_t k = 0; k < index.size(); ++k) sum += value[k] * outputs_[static_cast<std::size_t>(index[k])];
    scores_[y] = sum;
  }
  return scores_;
}

Predictions predict_classes(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  struct Part {
    std::vector<NodeId> labels;
    std::vector<double> scores;
    std::vector<Index> ends;
  };
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(data.samples(), kSamplesPerTask)));
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
    require_finite(data, begin, end);
    Part& part = parts[static_cast<std::size_t>(begin / kSamplesPerTask)];
    ClassScores reader(model);
    Ranker ranker(model, options);
    for (Index s = begin; s < end; ++s) {
      ranker.append(reader.of(data, s), part.labels, part.scores);
      part.ends.push_back(std::ssize(part.labels));
    }
  });
  Predictions predictions;
  for (const Part& part : parts) {
    const Index before = std::ssize(predictions.labels);
    predictions.labels.insert(predictions.labels.end(), part.labels.begin(), part.labels.end());
    predictions.scores.insert(predictions.scores.end(), part.scores.begin(), part.scores.end());
    for (const Index end : part.ends) predictions.offsets.push_back(before + end);
  }
  return predictions;
}

}  // namespace clade
