#include "classify/linear/row_maker.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "classify/linear/feature_scale.h"
#include "core/large_pages.h"
#include "core/parallel.h"

namespace clade {
namespace {

std::uint64_t new_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

constexpr Index kRowsPerScan = 512;

std::vector<FeatureIndex> occurring_features(const Dataset& data, std::span<const Index> samples, Context& ctx) {
  std::vector<char> occurs(static_cast<std::size_t>(data.features()), 0);
  std::atomic<Index> left = data.features();
  parallel_for(ctx, std::ssize(samples), kRowsPerScan, [&](Index begin, Index end) {
    for (Index k = begin; k < end && left.load(std::memory_order_relaxed) > 0; ++k) {
      data.for_each_value(samples[static_cast<std::size_t>(k)], [&](FeatureIndex f, auto value) {
        const std::atomic_ref<char> here(occurs[static_cast<std::size_t>(f)]);
        if (value == 0 || here.load(std::memory_order_relaxed) != 0) return;
        if (here.exchange(1, std::memory_order_relaxed) == 0) left.fetch_sub(1, std::memory_order_relaxed);
      });
    }
  });
  std::vector<FeatureIndex> features;
  for (std::size_t f = 0; f < occurs.size(); ++f) {
    if (occurs[f] != 0) features.push_back(static_cast<FeatureIndex>(f));
  }
  return features;
}

}  // namespace

RowMaker::RowMaker(Dataset data, std::span<const Index> samples, const RowOptions& options, Context& ctx)
    : data_(std::move(data)),
      samples_(samples.begin(), samples.end()),
      features_(options.features.empty() ? occurring_features(data_, samples, ctx)
                                         : std::vector(options.features.begin(), options.features.end())),
      local_(static_cast<std::size_t>(data_.features()), kLeftOut),
      has_unit_length_(options.has_unit_length),
      number_(new_number()) {
  if (options.scale != nullptr) {
    mean_ = options.scale->mean;
    factor_ = options.scale->factor;
  }
  for (std::size_t k = 0; k < features_.size(); ++k) {
    local_[static_cast<std::size_t>(features_[k])] = static_cast<std::int32_t>(k);
  }
}

Index RowMaker::most_values(Index row) const {
  const Index constant = constant_ == 0 ? 0 : 1;
  return constant + std::visit(
                        [&](const auto& m) {
                          if constexpr (requires { m.indices; }) {
                            const Index r = data_.source_row(samples_[static_cast<std::size_t>(row)]);
                            return m.offsets[r + 1] - m.offsets[r];
                          } else {
                            return std::ssize(features_);
                          }
                        },
                        data_.matrix());
}

// Copied rows and rows that are made come from here, so that they are the same to the last bit.
Index RowMaker::make(Index row, std::int32_t* columns, double* values) const {
  const Index s = samples_[static_cast<std::size_t>(row)];
  double factor = 1;
  if (has_unit_length_) {
    double square = 0;
    data_.for_each_value(s, [&](FeatureIndex, auto value) { square += static_cast<double>(value) * value; });
    factor = square > 0 ? 1 / std::sqrt(square) : 1;
  }
  Index count = 0;
  const auto append = [&](std::int32_t column, double value) {
    columns[count] = column;
    values[count] = value;
    ++count;
  };
  data_.for_each_value(s, [&](FeatureIndex f, auto value) {
    const std::int32_t column = local_[static_cast<std::size_t>(f)];
    if (column == kLeftOut) return;
    double x = factor * static_cast<double>(value);
    if (!mean_.empty()) x = factor_[static_cast<std::size_t>(f)] * (x - mean_[static_cast<std::size_t>(f)]);
    if (x != 0) append(column, x);
  });
  if (constant_ != 0) append(constant_column_, constant_);
  return count;
}

RowMaker::Row RowMaker::row(Index r) const {
  struct Kept {
    std::uint64_t maker = 0;
    Index row = 0;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  thread_local std::array<Kept, kKept> all;
  thread_local std::size_t oldest = 0;
  for (const Kept& kept : all) {
    if (kept.maker == number_ && kept.row == r) return {kept.columns, kept.values};
  }
  Kept& kept = all[oldest];
  oldest = (oldest + 1) % kKept;
  kept.maker = number_;
  kept.row = r;
  const auto most = static_cast<std::size_t>(most_values(r));
  kept.columns.resize(most);
  kept.values.resize(most);
  const auto count = static_cast<std::size_t>(make(r, kept.columns.data(), kept.values.data()));
  kept.columns.resize(count);
  kept.values.resize(count);
  return {kept.columns, kept.values};
}

void RowMaker::will_need(Index begin, Index end) const {
  if (begin >= end) return;
  const Index first = data_.source_row(samples_[static_cast<std::size_t>(begin)]);
  const Index last = data_.source_row(samples_[static_cast<std::size_t>(end - 1)]);
  constexpr Index kMostBetween = 8;  // rows of the data for each that is needed; more are not worth reading
  if (last < first || (last - first) / kMostBetween > end - begin) return;
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          const Index from = m.offsets[first];
          const Index count = m.offsets[last + 1] - from;
          read_ahead(m.indices.data() + from, static_cast<std::size_t>(count) * sizeof(*m.indices.data()));
          read_ahead(m.values.data() + from, static_cast<std::size_t>(count) * sizeof(*m.values.data()));
        } else {
          const auto count = static_cast<std::size_t>((last + 1 - first) * m.columns);
          read_ahead(m.values.data() + first * m.columns, count * sizeof(*m.values.data()));
        }
      },
      data_.matrix());
}

std::shared_ptr<const RowMaker> RowMaker::changed(std::span<const std::int32_t> place, std::int32_t constant_column,
                                                  double constant) const {
  auto other = std::make_shared<RowMaker>(*this);
  other->number_ = new_number();
  for (std::int32_t& column : other->local_) {
    if (column != kLeftOut && !place.empty()) column = place[static_cast<std::size_t>(column)];
  }
  if (constant_ != 0 && !place.empty()) {
    other->constant_column_ = place[static_cast<std::size_t>(constant_column_)];
  }
  if (constant != 0) {
    other->constant_column_ = constant_column;
    other->constant_ = constant;
  }
  return other;
}

void expect_random_order(const Dataset& data, bool is_random) {
  std::visit(
      [&](const auto& m) {
        const auto advise = [&](const auto& buffer) {
          expect_random_reads(buffer.data(), static_cast<std::size_t>(buffer.size()) * sizeof(*buffer.data()),
                              is_random);
        };
        if constexpr (requires { m.indices; }) advise(m.indices);
        advise(m.values);
      },
      data.matrix());
}

}  // namespace clade
