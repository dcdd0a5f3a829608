#include "classify/linear/feature_scale.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "data/scaling.h"

namespace clade {

void FeatureScale::undo(const std::vector<FeatureIndex>& features, LinearWeights& weights) const {
  if (is_none()) return;
  for (std::size_t o = 0; o < weights.w.size(); ++o) {
    for (std::size_t k = 0; k < features.size(); ++k) {
      const auto f = static_cast<std::size_t>(features[k]);
      weights.w[o][k] *= factor[f];
      weights.bias[o] -= weights.w[o][k] * mean[f];
    }
  }
}

FeatureScale standard_scale(const Dataset& data, Context& ctx) {
  const auto features = static_cast<std::size_t>(data.features());
  constexpr Index kSamplesPerTask = 4096;
  const auto sums_of = [&](const std::vector<double>& centre) {
    struct Sums {
      std::vector<double> first;
      std::vector<double> second;
    };
    return parallel_reduce(
        ctx, data.samples(), kSamplesPerTask, Sums{std::vector<double>(features, 0), std::vector<double>(features, 0)},
        [&](Index begin, Index end) {
          Sums part{std::vector<double>(features, 0), std::vector<double>(features, 0)};
          for (Index s = begin; s < end; ++s) {
            data.for_each_value(s, [&](FeatureIndex f, auto value) {
              const auto at = static_cast<std::size_t>(f);
              const double x = static_cast<double>(value) - centre[at];
              part.first[at] += x;
              part.second[at] += x * x;
            });
          }
          return part;
        },
        [&](Sums& total, const Sums& part) {
          for (std::size_t f = 0; f < features; ++f) {
            total.first[f] += part.first[f];
            total.second[f] += part.second[f];
          }
        });
  };
  // Two passes, so that a large mean does not swallow the variance.
  const auto n = static_cast<double>(data.samples());
  FeatureScale scale;
  scale.mean = sums_of(std::vector<double>(features, 0)).first;
  for (double& mean : scale.mean) mean /= n;
  scale.factor = sums_of(scale.mean).second;
  for (std::size_t f = 0; f < features; ++f) {
    const double deviation = std::sqrt(scale.factor[f] / n);
    constexpr double kRounding = 1e-12;
    scale.factor[f] = deviation > kRounding * std::abs(scale.mean[f]) && deviation > 0 ? 1 / deviation : 0;
  }
  return scale;
}

void require_squares(const Dataset& data, Context& ctx) {
  // Sums of squares must stay within the range of a double for any number of samples.
  constexpr double kLargest = 1e140;
  constexpr Index kSamplesPerTask = 4096;
  struct Cell {
    double size = 0;
    Index sample = 0;
    FeatureIndex feature = 0;
  };
  const Cell largest = parallel_reduce(
      ctx, data.samples(), kSamplesPerTask, Cell{},
      [&](Index begin, Index end) {
        Cell most;
        for (Index s = begin; s < end; ++s) {
          data.for_each_value(s, [&](FeatureIndex f, auto value) {
            const double size = std::abs(static_cast<double>(value));
            if (size > most.size) most = {size, s, f};
          });
        }
        return most;
      },
      [](Cell& total, const Cell& part) {
        if (part.size > total.size) total = part;
      });
  if (largest.size == 0 || (largest.size <= kLargest && largest.size >= 1 / kLargest)) return;
  throw usage_error(
      fmt::format("the largest value is {:.2g}, of feature {} and sample {}, and squares of such values are beyond the "
                  "range of numbers",
                  largest.size, data.feature_name(largest.feature), data.sample_name(largest.sample)),
      fmt::format("expected the largest between {:g} and {:g}: multiply all values by a constant", 1 / kLargest,
                  kLargest));
}

Scale linear_scale(const Dataset& data, Scale choice) {
  if (choice != Scale::kAuto) return choice;
  if (is_sparse(data.matrix())) return Scale::kNone;
  return has_few_values(data) ? Scale::kUnit : Scale::kStandard;
}

PreparedScale prepared_scale(const Dataset& data, Scale choice, Context& ctx) {
  const bool is_dense = !is_sparse(data.matrix());
  if (choice == Scale::kStandard && !is_dense) {
    throw usage_error("`scale` standard would make sparse data dense",
                      "expected `scale` unit or none, or `storage` dense");
  }
  require_squares(data, ctx);
  PreparedScale prepared;
  if (choice == Scale::kStandard) prepared.features = standard_scale(data, ctx);
  prepared.has_unit_rows = choice == Scale::kUnit;
  return prepared;
}

}  // namespace clade
