#include "evaluate/resampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

using Weights = MeasuredSamples::Weights;

// Measures each fold, then averages. draw(fold, weights) sets how often each outcome counts.
template <class Draw>
FoldMeasures over_folds(const ScoredOutcomes& scored, std::size_t folds, Draw&& draw) {
  const std::span<const MeasureRow> rows = measure_rows();
  std::vector<MeasuredSamples> parts;
  FoldMeasures result{{}, Measures(rows.size()), Measures(rows.size())};
  for (std::size_t f = 0; f < folds; ++f) {
    Weights weights(static_cast<std::size_t>(scored.outcomes.size()), 0);
    draw(f, weights);
    parts.emplace_back(scored, std::move(weights));
    result.per_fold.push_back(measure(parts.back()));
  }
  const auto count = static_cast<double>(folds);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!result.per_fold[0][m]) continue;
    if (rows[m].over_folds != nullptr) result.means[m] = rows[m].over_folds(parts);
    if (result.means[m]) continue;
    double sum = 0;
    double weighted = 0;
    double samples = 0;
    for (std::size_t f = 0; f < folds; ++f) {
      sum += *result.per_fold[f][m];
      weighted += parts[f].samples() * *result.per_fold[f][m];
      samples += parts[f].samples();
    }
    result.means[m] =
        scored.options.fold_average == FoldAverage::kSamples && folds > 1 ? weighted / samples : sum / count;
    if (folds < 2) continue;
    double squares = 0;
    for (const Measures& values : result.per_fold) squares += std::pow(*values[m] - sum / count, 2);
    result.deviations[m] = std::sqrt(squares / (count - 1));
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
  std::vector<std::optional<Interval>> intervals(measure_rows().size());
  const double tail = (1 - scored.options.confidence) / 2;
  for (std::size_t m = 0; m < measure_rows().size(); ++m) {
    if (!drawn[0][m]) continue;
    std::vector<double> values(resamples);
    for (std::size_t b = 0; b < resamples; ++b) values[b] = *drawn[b][m];
    std::sort(values.begin(), values.end());
    intervals[m] = {quantile(values, tail), quantile(values, 1 - tail)};
  }
  return intervals;
}

}  // namespace clade
