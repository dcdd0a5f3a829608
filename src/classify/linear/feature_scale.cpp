#include "classify/linear/feature_scale.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "comm/even_blocks.h"
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
  Team alone(std::make_shared<Alone>());
  return standard_scale(data, EvenBlocks::one(alone, data.samples()), ctx);
}

FeatureScale standard_scale(const Dataset& data, const EvenBlocks& blocks, Context& ctx) {
  const Index features = data.features();
  // Of x and of x^2, where x is a value less the centre of its feature.
  const auto sums_of = [&](const Vector& centre) {
    return blocks.sums().sum(2 * features, [&](int block, Vector& own) {
      const Index first = blocks.rows_of(block).first;
      const Index count = blocks.rows_of(block).second - first;
      constexpr Index kSamplesPerTask = 4096;
      own = parallel_reduce(
          ctx, count, kSamplesPerTask, own,
          [&](Index begin, Index end) {
            Vector part = Vector::Zero(2 * features);
            for (Index s = first + begin; s < first + end; ++s) {
              data.for_each_value(s, [&](FeatureIndex f, auto value) {
                const double x = static_cast<double>(value) - centre[f];
                part[f] += x;
                part[features + f] += x * x;
              });
            }
            return part;
          },
          [](Vector& total, const Vector& part) { total += part; });
    });
  };
  // Two passes, so that a large mean does not swallow the variance.
  const auto n = static_cast<double>(blocks.rows());
  const Vector mean = sums_of(Vector::Zero(features)).head(features) / n;
  const Vector squares = sums_of(mean).tail(features);
  FeatureScale scale{.mean = {mean.begin(), mean.end()}, .factor = {}};
  for (Index f = 0; f < features; ++f) {
    const double deviation = std::sqrt(squares[f] / n);
    constexpr double kRounding = 1e-12;
    scale.factor.push_back(deviation > kRounding * std::abs(mean[f]) && deviation > 0 ? 1 / deviation : 0);
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
  Team alone(std::make_shared<Alone>());
  return prepared_scale(data, choice, EvenBlocks::one(alone, data.samples()), ctx);
}

PreparedScale prepared_scale(const Dataset& data, Scale choice, const EvenBlocks& blocks, Context& ctx) {
  const bool is_dense = !is_sparse(data.matrix());
  if (choice == Scale::kStandard && !is_dense) {
    throw usage_error("`scale` standard would make sparse data dense",
                      "expected `scale` unit or none, or `storage` dense");
  }
  require_squares(data, ctx);
  PreparedScale prepared;
  if (choice == Scale::kStandard) prepared.features = standard_scale(data, blocks, ctx);
  prepared.has_unit_rows = choice == Scale::kUnit;
  return prepared;
}

}  // namespace clade
