#include "evaluate/resampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "evaluate/measure_table.h"
#include "evaluate/node_counts.h"

namespace clade {
namespace {

using Weights = std::vector<std::uint32_t>;  // of each outcome

std::vector<NodeScore> count_nodes(const ScoredOutcomes& scored, const Weights& weights) {
  NodeCounts counts(scored.table.taxonomy());
  std::vector<NodeId> truth;
  std::vector<NodeId> predicted;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (weights[o] == 0) continue;
    join_ancestors(scored.table, scored.outcomes.truth(static_cast<Index>(o)), truth);
    join_ancestors(scored.table, scored.outcomes.predicted(static_cast<Index>(o)), predicted);
    counts.add_nodes(truth, predicted, weights[o]);
  }
  return std::move(counts.nodes);
}

Totals totals_of(const ScoredOutcomes& scored, const Weights& weights) {
  Totals totals;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (weights[o] == 0) continue;
    const double weight = weights[o];
    totals.samples += weight;
    for (std::size_t c = 0; c < kScoreColumns; ++c) totals.sums[c] += weight * scored.scores[o][c];
  }
  if (scored.options.average == Average::kMacro) {
    add_macro(count_nodes(scored, weights), scored.options.count_root, totals);
  }
  return totals;
}

// Measures of each fold, then their means. draw(fold, weights) says how often each outcome counts.
template <class Draw>
FoldMeasures over_folds(const ScoredOutcomes& scored, std::size_t folds, Draw&& draw) {
  std::vector<Measures> per_fold;
  double tie_sum = 0;
  double samples = 0;
  for (std::size_t f = 0; f < folds; ++f) {
    Weights weights(scored.scores.size(), 0);
    draw(f, weights);
    const Totals totals = totals_of(scored, weights);
    tie_sum += totals.sums[kTieColumn];
    samples += totals.samples;
    per_fold.push_back(measures_from(totals, scored.options.average, scored.outcomes.ranked, scored.largest_distance));
  }
  FoldMeasures result{Measures(kMeasureCount), Measures(kMeasureCount)};
  const auto count = static_cast<double>(folds);
  for (std::size_t m = 0; m < kMeasureCount; ++m) {
    if (!per_fold[0][m]) continue;
    double sum = 0;
    for (const Measures& values : per_fold) sum += *values[m];
    result.means[m] = sum / count;
    if (folds < 2) continue;
    double squares = 0;
    for (const Measures& values : per_fold) squares += std::pow(*values[m] - sum / count, 2);
    result.deviations[m] = std::sqrt(squares / (count - 1));
  }
  if (scored.options.protocol == Protocol::kPublished) {
    // The papers' figure: the sum over a fold, averaged over folds, over the number of all rows.
    result.means[kTieNormalized] = tie_sum / count / samples;
    result.deviations[kTieNormalized].reset();
  }
  return result;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<std::vector<Index>> outcomes_by_fold(const Outcomes& outcomes, std::span<const Index> folds) {
  std::vector<std::vector<Index>> result(1);
  for (Index s = 0; s < outcomes.data.samples(); ++s) {
    const std::size_t fold = folds.empty() ? 0 : static_cast<std::size_t>(folds[static_cast<std::size_t>(s)]);
    if (fold >= result.size()) result.resize(fold + 1);
    const Index outcome = outcomes.of_sample(s);
    if (outcome >= 0) result[fold].push_back(outcome);
  }
  for (std::size_t f = 0; f < result.size(); ++f) {
    if (result[f].empty()) throw usage_error(fmt::format("fold {} has no labelled sample", f), "expected one at least");
  }
  return result;
}

FoldMeasures measure_folds(const ScoredOutcomes& scored, const std::vector<std::vector<Index>>& folds, Context& ctx) {
  ctx.check_cancelled();
  return over_folds(scored, folds.size(), [&](std::size_t f, Weights& weights) {
    for (const Index outcome : folds[f]) ++weights[static_cast<std::size_t>(outcome)];
  });
}

std::vector<std::optional<Interval>> bootstrap(const ScoredOutcomes& scored,
                                               const std::vector<std::vector<Index>>& folds, Context& ctx) {
  const auto resamples = static_cast<std::size_t>(scored.options.resamples);
  std::vector<Measures> drawn(resamples);
  Progress progress(ctx, "resampling", scored.options.resamples);
  parallel_for(ctx, scored.options.resamples, 1, [&](Index b, Index) {
    drawn[static_cast<std::size_t>(b)] =
        over_folds(scored, folds.size(), [&](std::size_t f, Weights& weights) {
          RandomStream random(ctx.seed(), {kBootstrapStream, static_cast<std::uint64_t>(b), f});
          const auto size = static_cast<Index>(folds[f].size());
          for (Index k = 0; k < size; ++k) {
            const Index outcome = folds[f][static_cast<std::size_t>(random.below(size))];
            ++weights[static_cast<std::size_t>(outcome)];
          }
        }).means;
    progress.advance();
  });
  std::vector<std::optional<Interval>> intervals(kMeasureCount);
  const double tail = (1 - scored.options.confidence) / 2;
  for (std::size_t m = 0; m < kMeasureCount; ++m) {
    if (!drawn[0][m]) continue;
    std::vector<double> values(resamples);
    for (std::size_t b = 0; b < resamples; ++b) values[b] = *drawn[b][m];
    std::sort(values.begin(), values.end());
    intervals[m] = {quantile(values, tail), quantile(values, 1 - tail)};
  }
  return intervals;
}

}  // namespace clade
