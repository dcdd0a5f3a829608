#include "select/tuning/stability.h"

namespace clade {

double stability(const std::vector<std::vector<FeatureIndex>>& sets, Index features) {
  const auto m = static_cast<double>(sets.size());
  const auto p = static_cast<double>(features);
  std::vector<double> times(static_cast<std::size_t>(features), 0);
  double mean_size = 0;
  for (const auto& set : sets) {
    mean_size += static_cast<double>(set.size()) / m;
    for (const FeatureIndex f : set) times[static_cast<std::size_t>(f)] += 1;
  }
  double variance = 0;  // of "is selected", unbiased, mean over the features
  for (const double count : times) variance += m / (m - 1) * (count / m) * (1 - count / m) / p;
  const double by_chance = mean_size / p * (1 - mean_size / p);
  return by_chance > 0 ? 1 - variance / by_chance : 1;
}

}  // namespace clade
