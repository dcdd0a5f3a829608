#include "classify/path_scores.h"

#include "classify/output_scorer.h"
#include "classify/prepared_outputs.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kSamplesPerTask = 64;

}  // namespace

void for_each_path_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                          const std::function<void(Index, std::span<const double>)>& visit) {
  const NodeClassifier& all = model.nodes[0];
  const PathSums any(*model.taxonomy, all.children, model.level_weights);
  const std::optional<FullRows> rows = full_rows(all.linear, end - begin, ctx);
  const NodePlaces places(model, end - begin);
  parallel_for(ctx, end - begin, kSamplesPerTask, [&](Index from, Index to) {
    OutputScorer scorer(model);
    scorer.use(all.linear, places.of(all, to - from), rows ? &*rows : nullptr);
    PathSums paths = any;
    std::vector<double> outputs(static_cast<std::size_t>(all.linear.count));
    std::vector<double> scores(paths.leaves().size());
    for (Index s = begin + from; s < begin + to; ++s) {
      scorer.score(data, s, outputs);
      const std::vector<double>& sums = paths.sums(std::span<const double>(outputs));
      for (std::size_t k = 0; k < scores.size(); ++k) {
        scores[k] = sums[static_cast<std::size_t>(paths.leaves()[k])];
      }
      visit(s, scores);
    }
  });
}

}  // namespace clade
