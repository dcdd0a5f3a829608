#include <clade/evaluate.h>

#include <algorithm>

#include "core/check.h"
#include "core/parallel.h"
#include "evaluate/confusions.h"
#include "evaluate/outcome_scores.h"
#include "evaluate/pair_scores.h"
#include "evaluate/reliability.h"
#include "evaluate/resampling.h"
#include "evaluate/summary.h"

namespace clade {
namespace {

constexpr Index kOutcomesPerChunk = 16384;
constexpr Index kMostChunks = 16;  // each counts all nodes of the taxonomy

struct Part {
  Totals totals;
  NodeCounts counts;
};

void join(Part& total, Part&& part) {
  total.totals.samples += part.totals.samples;
  for (std::size_t c = 0; c < kScoreColumns; ++c) total.totals.sums[c] += part.totals.sums[c];
  total.counts.add(std::move(part.counts));
}

// Scores all outcomes; `kept`, if not empty, receives the scores of each.
template <class Scorer>
Part score_all(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances, bool count_root,
               std::span<Scores> kept, Context& ctx) {
  const Taxonomy& taxonomy = table.taxonomy();
  const Index grain = std::max(kOutcomesPerChunk, chunk_count(outcomes.size(), kMostChunks));
  Part total = parallel_reduce(
      ctx, outcomes.size(), grain, Part{},
      [&](Index begin, Index end) {
        Part part{{}, NodeCounts(taxonomy)};
        Scorer scorer(outcomes, table, distances, count_root);
        for (Index o = begin; o < end; ++o) {
          const Scores scores = scorer.score(o, part.counts);
          const auto weight = static_cast<double>(outcomes.weight(o));
          part.totals.samples += weight;
          for (std::size_t c = 0; c < kScoreColumns; ++c) part.totals.sums[c] += weight * scores[c];
          if (!kept.empty()) kept[static_cast<std::size_t>(o)] = scores;
        }
        return part;
      },
      join);
  total.counts.settle(table);
  return total;
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
  const AncestorTable table(taxonomy, labels_of(outcomes), ctx);
  const OutcomeDistances distances(outcomes, ctx);
  ScoredOutcomes scored{outcomes, table, options, {}, largest_distance(taxonomy, ctx)};
  const bool keep_scores = options.bootstrap || !folds.empty() || options.protocol == Protocol::kPublished;
  if (keep_scores) scored.scores.resize(static_cast<std::size_t>(outcomes.size()));
  const bool is_fast = outcomes.are_pairs() && taxonomy.levels() <= PairScorer::kMostLevels;
  const auto score_outcomes = is_fast ? score_all<PairScorer> : score_all<OutcomeScorer>;
  const Part total = score_outcomes(outcomes, table, distances, options.count_root, scored.scores, ctx);

  Evaluation result;
  result.samples = outcomes.evaluated;
  result.notes = outcomes.notes;
  result.nodes = total.counts.nodes;
  result.levels = level_scores(taxonomy, total.counts);
  Confusions confusions = find_confusions(outcomes, distances, options.confusions, ctx);
  result.most_frequent = std::move(confusions.most_frequent);
  result.most_costly = std::move(confusions.most_costly);
  result.reliability = measure_reliability(outcomes, table, options, ctx);
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
