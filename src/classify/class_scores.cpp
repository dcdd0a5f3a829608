#include "classify/class_scores.h"

#include <algorithm>
#include <numeric>

#include "classify/kernel_expansion.h"
#include "classify/output_scorer.h"
#include "core/parallel.h"
#include "data/missing.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 256;
constexpr Index kQueries = 1024;  // samples that a kernel model handles together

void class_scores(const ClassAttributes& attributes, const std::vector<double>& outputs, std::vector<double>& scores) {
  for (std::size_t y = 0; y < scores.size(); ++y) {
    const auto index = attributes.index_of(static_cast<Index>(y));
    const auto value = attributes.value_of(static_cast<Index>(y));
    double sum = 0;
    for (std::size_t k = 0; k < index.size(); ++k) sum += value[k] * outputs[static_cast<std::size_t>(index[k])];
    scores[y] = sum;
  }
}

// The labels of one sample, best first.
class Ranker {
 public:
  Ranker(const ModelBody& model, const PredictOptions& options) : model_(model), options_(options) {}

  void append(std::span<const double> scores, std::vector<NodeId>& labels, std::vector<double>& values) const {
    double threshold = 0;
    if (!model_.threshold.empty()) {
      threshold = model_.threshold.back();
      for (std::size_t c = 0; c < scores.size(); ++c) threshold += model_.threshold[c] * scores[c];
    }
    const std::size_t count = std::clamp<std::size_t>(label_count(scores, threshold), 1, scores.size());
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::int32_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        const double score_a = scores[static_cast<std::size_t>(a)];
                        const double score_b = scores[static_cast<std::size_t>(b)];
                        return score_a != score_b ? score_a > score_b : a < b;
                      });
    for (std::size_t k = 0; k < count; ++k) {
      const auto c = static_cast<std::size_t>(order[k]);
      labels.push_back(model_.taxonomy->fold(model_.nodes[0].children[c]));
      values.push_back(scores[c] - (options_.is_ranked ? threshold : 0));
    }
  }

 private:
  std::size_t label_count(std::span<const double> scores, double threshold) const {
    if (options_.is_ranked) return scores.size();
    if (options_.label_set == LabelSet::kTop1) return 1;
    if (options_.label_set == LabelSet::kTopK || options_.top_k > 0 || model_.threshold.empty()) {
      return static_cast<std::size_t>(options_.label_count());
    }
    return static_cast<std::size_t>(
        std::count_if(scores.begin(), scores.end(), [&](double s) { return s > threshold; }));
  }

  const ModelBody& model_;
  const PredictOptions& options_;
};

}  // namespace

void for_each_class_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                           const std::function<void(Index, std::span<const double>)>& visit) {
  const NodeClassifier& all = model.nodes[0];
  const auto outputs_count = static_cast<std::size_t>(model.attributes.count);
  if (!model.kernel) {
    parallel_for(ctx, end - begin, kSamplesPerTask, [&](Index from, Index to) {
      OutputScorer scorer(model);
      scorer.use(all.linear, to - from);
      std::vector<double> outputs(outputs_count);
      std::vector<double> scores(all.children.size());
      for (Index s = begin + from; s < begin + to; ++s) {
        scorer.score(data, s, outputs);
        class_scores(model.attributes, outputs, scores);
        visit(s, scores);
      }
    });
    return;
  }
  for (Index first = begin; first < end; first += kQueries) {
    std::vector<Index> samples(static_cast<std::size_t>(std::min(kQueries, end - first)));
    std::iota(samples.begin(), samples.end(), first);
    const KernelSamples queries(data, samples, model.kernel->options, model.has_unit_rows, ctx);
    parallel_for(ctx, std::ssize(samples), Index{8}, [&](Index from, Index to) {
      std::vector<double> similarity;
      std::vector<double> outputs(outputs_count);
      std::vector<double> scores(all.children.size());
      for (Index k = from; k < to; ++k) {
        model.kernel->outputs(queries, k, similarity, outputs);
        class_scores(model.attributes, outputs, scores);
        visit(first + k, scores);
      }
    });
  }
}

Predictions predict_classes(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  struct Ranked {
    std::vector<NodeId> labels;
    std::vector<double> scores;
  };
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) { require_finite(data, begin, end); });
  const Ranker ranker(model, options);
  Predictions predictions;
  constexpr Index kTogether = 8192;
  std::vector<Ranked> ranked;
  for (Index begin = 0; begin < data.samples(); begin += kTogether) {
    const Index end = std::min(data.samples(), begin + kTogether);
    ranked.assign(static_cast<std::size_t>(end - begin), {});
    for_each_class_scores(model, data, begin, end, ctx, [&](Index s, std::span<const double> scores) {
      Ranked& own = ranked[static_cast<std::size_t>(s - begin)];
      ranker.append(scores, own.labels, own.scores);
    });
    for (const Ranked& own : ranked) {
      predictions.labels.insert(predictions.labels.end(), own.labels.begin(), own.labels.end());
      predictions.scores.insert(predictions.scores.end(), own.scores.begin(), own.scores.end());
      predictions.offsets.push_back(std::ssize(predictions.labels));
    }
  }
  return predictions;
}

}  // namespace clade
