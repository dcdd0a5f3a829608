#include "classify/nodes/score_map.h"

#include <algorithm>
#include <cmath>

namespace clade {
namespace {

constexpr double kBinPositives = 50;

struct Bin {
  double positive = 0;
  double all = 0;
  double score = 0;  // mean threshold, weighted by positive pairs
  double rate() const { return (positive + 0.5) / (all + 1); }
};

}  // namespace

double ScoreMap::operator()(double score) const {
  if (at.empty()) return 1 / (1 + std::exp(-score));
  if (score <= at.front()) return value.front() / (1 + (at.front() - score));
  if (score >= at.back()) return 1 - (1 - value.back()) / (1 + (score - at.back()));
  const auto k = static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), score) - at.begin());
  return value[k - 1] + (value[k] - value[k - 1]) * (score - at[k - 1]) / (at[k] - at[k - 1]);
}

ScoreMap fit_score_map(const RankedPairs& pairs) {
  std::vector<Bin> bins;  // from the highest scores down
  Bin bin;
  for (const RankedPairs::Step& step : pairs.steps) {
    const auto positive = static_cast<double>(step.positive);
    bin.positive += positive;
    bin.all += positive + static_cast<double>(step.negative);
    bin.score += positive * step.threshold;
    if (bin.positive < kBinPositives) continue;
    bins.push_back(bin);
    bin = {};
  }
  if (bin.positive > 0) bins.push_back(bin);
  std::vector<Bin> pooled;
  for (const Bin& next : bins) {
    pooled.push_back(next);
    while (pooled.size() > 1 && pooled[pooled.size() - 2].rate() <= pooled.back().rate()) {
      const Bin last = pooled.back();
      pooled.pop_back();
      pooled.back().positive += last.positive;
      pooled.back().all += last.all;
      pooled.back().score += last.score;
    }
  }
  ScoreMap map;
  for (auto k = pooled.rbegin(); k != pooled.rend(); ++k) {
    const double score = k->score / k->positive;
    if (!map.at.empty() && !(score > map.at.back())) continue;
    map.at.push_back(score);
    map.value.push_back(k->rate());
  }
  return map;
}

}  // namespace clade
