#include <clade/evaluate.h>

#include <algorithm>

#include "core/check.h"
#include "core/parallel.h"
#include "evaluate/breakdown.h"
#include "evaluate/outcome_scores.h"
#include "evaluate/resampling.h"
#include "evaluate/summary.h"

namespace clade {
namespace {

constexpr Index kOutcomesPerChunk = 16384;

struct Part {
  Totals totals;
  NodeCounts counts;
};

void join(Part& total, const Part& part) {
  total.totals.samples += part.totals.samples;
  for (std::size_t c = 0; c < kScoreColumns; ++c) total.totals.sums[c] += part.totals.sums[c];
  total.counts.add(part.counts);
}

}  // namespace

Evaluation evaluate(const Dataset& data, const Predictions& predictions, const EvaluateOptions& given,
                    std::span<const Index> folds, Context& ctx) {
  CLADE_CHECK(folds.empty() || static_cast<Index>(folds.size()) == data.samples());
  EvaluateOptions options = given;
  if (options.protocol == Protocol::kPublished) {
    options.average = Average::kSamples;
    options.count_root = true;
  }
  const Taxonomy& taxonomy = data.taxonomy();
  const Outcomes outcomes = find_outcomes(data, predictions, options, ctx);
  const AncestorTable table(taxonomy, labels_of(outcomes, data, predictions), ctx);
  const OutcomeDistances distances(outcomes, data, ctx);
  ScoredOutcomes scored{outcomes, data, table, options, {}, largest_distance(taxonomy, ctx)};
  const bool keep_scores = options.bootstrap || !folds.empty() || options.protocol == Protocol::kPublished;
  if (keep_scores) scored.scores.resize(static_cast<std::size_t>(outcomes.size()));

  // Chunks are large where the taxonomy is: each counts its nodes.
  const Index grain = std::max<Index>(kOutcomesPerChunk, Index{4} * taxonomy.size());
  const Part total = parallel_reduce(
      ctx, outcomes.size(), grain, Part{{}, NodeCounts(taxonomy)},
      [&](Index begin, Index end) {
        Part part{{}, NodeCounts(taxonomy)};
        OutcomeScorer scorer(outcomes, data, predictions, table, distances, options.count_root);
        for (Index o = begin; o < end; ++o) {
          const auto at = static_cast<std::size_t>(o);
          const Scores scores = scorer.score(o);
          const auto weight = static_cast<double>(outcomes.weight[at]);
          part.totals.samples += weight;
          for (std::size_t c = 0; c < kScoreColumns; ++c) part.totals.sums[c] += weight * scores[c];
          part.counts.add(taxonomy, scorer, outcomes.weight[at]);
          if (keep_scores) scored.scores[at] = scores;
        }
        return part;
      },
      join);

  Evaluation result;
  result.samples = outcomes.samples();
  result.notes = outcomes.notes;
  result.nodes = total.counts.nodes;
  result.levels = level_scores(taxonomy, total.counts);
  const std::vector<Confusion> confusions = find_confusions(outcomes, data, distances);
  result.most_frequent = most_frequent(confusions, options.confusions);
  result.most_costly = most_costly(confusions, options.confusions);
  if (!keep_scores) {
    Totals totals = total.totals;
    if (options.average == Average::kMacro) add_macro(result.nodes, options.count_root, totals);
    result.values = measures_from(totals, options.average, outcomes.ranked, scored.largest_distance);
    return result;
  }
  const auto by_fold = outcomes_by_fold(outcomes, folds);
  FoldMeasures measured = measure_folds(scored, by_fold, ctx);
  result.values = std::move(measured.means);
  if (!folds.empty()) result.deviations = std::move(measured.deviations);
  if (options.bootstrap) result.intervals = bootstrap(scored, by_fold, ctx);
  return result;
}

}  // namespace clade
