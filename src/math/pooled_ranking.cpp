#include "math/pooled_ranking.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kColumnsPerTask = 16;

}  // namespace

std::size_t count_larger(double score, std::span<const double> descending) {
  const double* first = descending.data();
  for (std::size_t length = descending.size(); length > 0;) {
    const std::size_t half = (length + 1) / 2;
    first += first[half - 1] > score ? half : 0;
    length -= half;
  }
  return static_cast<std::size_t>(first - descending.data());
}

RankedPairs rank_pairs(const Matrix& scores, const PositivePairs& pairs, Context& ctx) {
  std::vector<double> thresholds;
  for (Index s = 0; s < pairs.samples(); ++s) {
    for (const std::int32_t c : pairs.of(s)) thresholds.push_back(scores(s, c));
  }
  std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
  RankedPairs result;
  result.positives = thresholds.size();
  for (const double threshold : thresholds) {
    if (result.steps.empty() || result.steps.back().threshold != threshold) result.steps.push_back({threshold, 0, 0});
    ++result.steps.back().positive;
  }
  thresholds.clear();
  for (const RankedPairs::Step& step : result.steps) thresholds.push_back(step.threshold);

  using Counts = std::vector<std::uint64_t>;
  const Counts all = parallel_reduce(
      ctx, scores.cols(), std::max<Index>(kColumnsPerTask, chunk_count(scores.cols(), 64)), Counts(),
      [&](Index begin, Index end) {
        Counts counts(thresholds.size() + 1, 0);
        for (Index c = begin; c < end; ++c) {
          for (Index s = 0; s < scores.rows(); ++s) ++counts[count_larger(scores(s, c), thresholds)];
        }
        return counts;
      },
      [](Counts& total, Counts part) {
        total.resize(std::max(total.size(), part.size()), 0);
        for (std::size_t k = 0; k < part.size(); ++k) total[k] += part[k];
      });
  for (std::size_t j = 0; j < result.steps.size(); ++j) result.steps[j].negative = all[j] - result.steps[j].positive;
  return result;
}

double average_precision(const RankedPairs& pairs) {
  double found = 0;
  double seen = 0;
  double sum = 0;
  for (const RankedPairs::Step& step : pairs.steps) {
    found += static_cast<double>(step.positive);
    seen += static_cast<double>(step.positive + step.negative);
    sum += static_cast<double>(step.positive) * found / seen;
  }
  return pairs.positives == 0 ? 0 : sum / static_cast<double>(pairs.positives);
}

BestCut best_cut(const RankedPairs& pairs) {
  BestCut best{std::numeric_limits<double>::infinity(), 0};
  double found = 0;
  double seen = 0;
  for (const RankedPairs::Step& step : pairs.steps) {
    found += static_cast<double>(step.positive);
    seen += static_cast<double>(step.positive + step.negative);
    const double f1 = 2 * found / (seen + static_cast<double>(pairs.positives));
    if (f1 > best.f1) best = {step.threshold, f1};
  }
  return best;
}

}  // namespace clade
