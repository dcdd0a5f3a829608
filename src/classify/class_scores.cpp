#include "classify/class_scores.h"

#include <algorithm>
#include <numeric>

#include "classify/kernel_expansion.h"
#include "classify/output_scorer.h"
#include "classify/path_scores.h"
#include "classify/prepared_outputs.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 64;
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

}  // namespace

void for_each_class_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                           const std::function<void(Index, std::span<const double>)>& visit) {
  if (model.kind == ModelKind::kPaths) return for_each_path_scores(model, data, begin, end, ctx, visit);
  const NodeClassifier& all = model.nodes[0];
  const auto outputs_count = static_cast<std::size_t>(model.attributes.count);
  if (!model.kernel) {
    const std::optional<FullRows> rows = full_rows(all.linear, end - begin, ctx);
    const NodePlaces places(model, end - begin);
    parallel_for(ctx, end - begin, kSamplesPerTask, [&](Index from, Index to) {
      OutputScorer scorer(model);
      scorer.use(all.linear, places.of(all, to - from), rows ? &*rows : nullptr);
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

}  // namespace clade
