#include "data/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/collectives.h"
#include "core/byte_string.h"

namespace clade {
namespace {

// Of the first samples of all processes.
bool has_few_values(const Dataset& data, const EvenBlocks& blocks) {
  constexpr Index kLookedAt = 1000;
  constexpr double kShare = 0.2;
  if (is_sparse(data.matrix())) return true;
  const Index looked_at = std::min(blocks.rows(), kLookedAt);
  const Vector values = blocks.sums().sum(1, [&](int block, Vector& sum) {
    const auto [begin, end] = blocks.rows_of(block);
    const Index first = blocks.own_rows().first;
    for (Index s = begin; s < std::min(end, looked_at); ++s) {
      data.for_each_value(s - first, [&](FeatureIndex, auto value) { sum[0] += value != 0 ? 1 : 0; });
    }
  });
  return values[0] < kShare * static_cast<double>(looked_at * data.features());
}

// x becomes (x / unit - shift) * factor. The unit is 1 unless squares of values, or their differences, would be beyond
// the range of numbers.
struct Transform {
  std::vector<double> unit;
  std::vector<double> shift;
  std::vector<double> factor;
};

// What is known of a feature: of values that are not stored, which are 0, as of others.
struct Spread {
  double stored = 0;
  double sum = 0;
  double squares = 0;  // of deviations from the mean
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

// The least and the largest of what all processes found, number by number.
void share_extremes(std::vector<double>& low, std::vector<double>& high, const EvenBlocks& blocks) {
  Communicator& processes = blocks.sums().team().processes();
  if (processes.size() == 1) return;
  const auto all = all_gather(processes, ByteWriter().put(low).put(high).take());
  std::vector<double> other_low;
  std::vector<double> other_high;
  for (std::size_t process = 0; process < all.size(); ++process) {
    ByteReader(all[process]).get(other_low).get(other_high);
    if (process == 0) {
      low = other_low;
      high = other_high;
    }
    for (std::size_t f = 0; f < low.size(); ++f) {
      low[f] = std::min(low[f], other_low[f]);
      high[f] = std::max(high[f], other_high[f]);
    }
  }
}

// Of the features for which wants(f) holds, in units of `unit`.
template <class Wants>
std::vector<Spread> spreads_of(const Dataset& data, const EvenBlocks& blocks, const std::vector<double>& unit,
                               const Wants& wants) {
  const auto n = static_cast<double>(blocks.rows());
  const auto p = static_cast<Index>(unit.size());
  const auto for_each = [&](int block, auto&& visit) {
    const auto [begin, end] = blocks.rows_of(block);
    const Index first = blocks.own_rows().first;
    for (Index s = begin - first; s < end - first; ++s) {
      data.for_each_value(s, [&](FeatureIndex f, auto v) {
        const auto at = static_cast<std::size_t>(f);
        if (wants(at)) visit(f, static_cast<double>(v) / unit[at]);
      });
    }
  };
  std::vector<Spread> spreads(unit.size());
  std::vector<double> low(unit.size(), std::numeric_limits<double>::infinity());
  std::vector<double> high(unit.size(), -std::numeric_limits<double>::infinity());
  const Vector sums = blocks.sums().sum(2 * p, [&](int block, Vector& sum) {
    for_each(block, [&](FeatureIndex f, double v) {
      sum[f] += 1;
      sum[p + f] += v;
      const auto at = static_cast<std::size_t>(f);
      low[at] = std::min(low[at], v);
      high[at] = std::max(high[at], v);
    });
  });
  share_extremes(low, high, blocks);
  const Vector squares = blocks.sums().sum(p, [&](int block, Vector& sum) {
    for_each(block, [&](FeatureIndex f, double v) {
      const double deviation = v - sums[p + f] / n;
      sum[f] += deviation * deviation;
    });
  });
  for (std::size_t f = 0; f < unit.size(); ++f) {
    const auto at = static_cast<Index>(f);
    spreads[f] = {sums[at], sums[p + at], squares[at], low[f], high[f]};
    if (spreads[f].stored == n) continue;
    spreads[f].low = std::min(low[f], 0.0);
    spreads[f].high = std::max(high[f], 0.0);
  }
  return spreads;
}

// Shift and factor of a feature.
std::pair<double, double> scale_of(const Spread& spread, double n, Scale scale) {
  const bool varies = spread.low < spread.high;
  if (scale == Scale::kMinMax) return {spread.low, varies ? 1 / (spread.high - spread.low) : 0};
  const double mean = spread.sum / n;
  const double deviation = std::sqrt((spread.squares + (n - spread.stored) * mean * mean) / n);
  return {mean, varies ? 1 / deviation : 0};
}

Transform feature_transform(const Dataset& data, const EvenBlocks& blocks, Scale scale) {
  const auto p = static_cast<std::size_t>(data.features());
  Transform transform{std::vector<double>(p, 1), std::vector<double>(p, 0), std::vector<double>(p, 1)};
  if (scale != Scale::kStandard && scale != Scale::kMinMax) return transform;
  const auto n = static_cast<double>(blocks.rows());
  std::vector<char> is_odd(p, 0);
  const auto set = [&](std::size_t f, const Spread& spread) {
    std::tie(transform.shift[f], transform.factor[f]) = scale_of(spread, n, scale);
  };
  const std::vector<Spread> plain = spreads_of(data, blocks, transform.unit, [](std::size_t) { return true; });
  bool has_odd = false;
  for (std::size_t f = 0; f < p; ++f) {
    set(f, plain[f]);
    const bool varies = plain[f].low < plain[f].high;
    if (!varies || (std::isnormal(transform.factor[f]) && std::isfinite(transform.shift[f]))) continue;
    is_odd[f] = 1;
    has_odd = true;
    transform.unit[f] = std::max(std::abs(plain[f].low), std::abs(plain[f].high));
  }
  if (!has_odd) return transform;
  const std::vector<Spread> again =
      spreads_of(data, blocks, transform.unit, [&](std::size_t f) { return is_odd[f] != 0; });
  for (std::size_t f = 0; f < p; ++f) {
    if (is_odd[f] != 0) set(f, again[f]);
  }
  return transform;
}

double row_factor(const Dataset& data, Index sample, Scale scale) {
  if (scale != Scale::kUnit) return 1;
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex, auto v) { square += static_cast<double>(v) * static_cast<double>(v); });
  return square > 0 ? 1 / std::sqrt(square) : 1;
}

FeatureMatrix dense_scaled(const Dataset& data, Scale scale, Index columns, const EvenBlocks& blocks) {
  const Transform transform = feature_transform(data, blocks, scale);
  DenseMatrix<double> matrix{data.samples(), columns, Buffer<double>(data.samples() * columns)};
  for (Index s = 0; s < data.samples(); ++s) {
    double* row = matrix.values.data() + s * columns;
    std::fill(row, row + data.features(), 0.0);
    std::fill(row + data.features(), row + columns, 1.0);  // the bias
    data.for_each_value(s, [&](FeatureIndex f, auto v) { row[f] = static_cast<double>(v); });
    const double factor = row_factor(data, s, scale);
    for (Index f = 0; f < data.features(); ++f) {
      const auto at = static_cast<std::size_t>(f);
      row[f] = factor * (row[f] / transform.unit[at] - transform.shift[at]) * transform.factor[at];
    }
  }
  return matrix;
}

FeatureMatrix sparse_scaled(const Dataset& data, Scale scale, bool bias) {
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  SparseMatrix<double> matrix{
      data.samples(), data.features() + (bias ? 1 : 0), Buffer<Index>(data.samples() + 1), {}, {}};
  matrix.offsets[0] = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const double factor = row_factor(data, s, scale);
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      indices.push_back(f);
      values.push_back(factor * static_cast<double>(v));
    });
    if (bias) {
      indices.push_back(static_cast<FeatureIndex>(data.features()));
      values.push_back(1);
    }
    matrix.offsets[s + 1] = static_cast<Index>(indices.size());
  }
  matrix.indices = Buffer<FeatureIndex>(static_cast<Index>(indices.size()));
  matrix.values = Buffer<double>(static_cast<Index>(values.size()));
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

}  // namespace

Dataset scaled(const Dataset& data, Scale scale, bool bias) {
  Team alone(std::make_shared<Alone>());
  return scaled(data, scale, bias, EvenBlocks::one(alone, data.samples()));
}

Dataset scaled(const Dataset& data, Scale scale, bool bias, const EvenBlocks& blocks) {
  if (scale == Scale::kNone && !bias) return data;
  const bool stays_sparse = is_sparse(data.matrix()) && (scale == Scale::kUnit || scale == Scale::kNone);
  Dataset::Parts parts;
  parts.features = stays_sparse ? sparse_scaled(data, scale, bias)
                                : dense_scaled(data, scale, data.features() + (bias ? 1 : 0), blocks);
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    parts.labels.nodes.insert(parts.labels.nodes.end(), labels.begin(), labels.end());
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  parts.taxonomy = data.taxonomy();
  if (!bias) parts.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
  return Dataset(std::move(parts));
}

Scale comparable_scale(const Dataset& data) {
  Team alone(std::make_shared<Alone>());
  return comparable_scale(data, EvenBlocks::one(alone, data.samples()));
}

Scale comparable_scale(const Dataset& data, const EvenBlocks& blocks) {
  constexpr double kDifferent = 10;
  if (has_few_values(data, blocks)) return Scale::kUnit;
  const auto p = static_cast<std::size_t>(data.features());
  std::vector<double> low(p, std::numeric_limits<double>::infinity());
  std::vector<double> high(p, -std::numeric_limits<double>::infinity());
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex feature, auto value) {
      const auto f = static_cast<std::size_t>(feature);
      low[f] = std::min(low[f], static_cast<double>(value));
      high[f] = std::max(high[f], static_cast<double>(value));
    });
  }
  share_extremes(low, high, blocks);
  std::vector<double> ranges;  // halved, because the largest may be too large for a number
  for (std::size_t f = 0; f < p; ++f) {
    if (high[f] > low[f]) ranges.push_back(high[f] / 2 - low[f] / 2);
  }
  if (ranges.empty()) return Scale::kNone;
  std::ranges::sort(ranges);
  // Tenths at both ends do not count, so that a few odd features do not decide.
  const std::size_t tenth = ranges.size() / 10;
  const bool differ = ranges[ranges.size() - 1 - tenth] > kDifferent * ranges[tenth];
  return differ ? Scale::kStandard : Scale::kNone;
}

bool has_few_values(const Dataset& data) {
  Team alone(std::make_shared<Alone>());
  return has_few_values(data, EvenBlocks::one(alone, data.samples()));
}

}  // namespace clade
