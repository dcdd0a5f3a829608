#include "data/kernel/kernel_samples.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.h"
#include "core/parallel.h"
#include "data/kernel/kernel_check.h"
#include "data/kernel/subsequence.h"

namespace clade {
namespace {

constexpr Index kVectorsPerTask = 512;
constexpr Index kStringsPerTask = 16;
constexpr double kLargestSymbol = 0x10FFFF;

// A row that is all zeros between calls: a sample is written into it and removed again, so that a call costs the
// sample's non-zeros and not the width.
class Scattered {
 public:
  Scattered(Index width, std::span<const FeatureIndex> columns, std::span<const double> values) : columns_(columns) {
    if (std::ssize(room()) < width) room().resize(static_cast<std::size_t>(width), 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k) room()[static_cast<std::size_t>(columns[k])] = values[k];
  }
  ~Scattered() {
    for (const FeatureIndex c : columns_) room()[static_cast<std::size_t>(c)] = 0;
  }
  Scattered(const Scattered&) = delete;
  Scattered& operator=(const Scattered&) = delete;

  const double* data() const { return room().data(); }

 private:
  static std::vector<double>& room() {
    thread_local std::vector<double> row;
    return row;
  }
  std::span<const FeatureIndex> columns_;
};

// All inner products are summed here, so that equal rows have the same product with each other as with themselves, and
// a distance of exactly 0. Not inlined, so that it is compiled only once.
[[gnu::noinline]] double gathered_product(const double* row, const FeatureIndex* columns, const double* values,
                                          std::size_t count) {
  std::array<double, 4> sum{};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (std::size_t l = 0; l < 4; ++l) sum[l] += row[columns[k + l]] * values[k + l];
  }
  for (; k < count; ++k) sum[0] += row[columns[k]] * values[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool is_symbol(double value) {
  return value >= 1 && value <= kLargestSymbol && value == std::floor(value);
}

Error bad_arrays(std::string_view problem) {
  return usage_error(fmt::format("support vectors: {}", problem), "the model is damaged");
}

void check_arrays(const KernelArrays& arrays, KernelKind kind) {
  if (arrays.width < 0 || arrays.width > kMaxFeatures) throw bad_arrays("impossible number of columns");
  if (arrays.offsets.empty() || arrays.offsets.front() != 0 || arrays.columns.size() != arrays.values.size() ||
      arrays.offsets.back() != std::ssize(arrays.columns) ||
      !std::is_sorted(arrays.offsets.begin(), arrays.offsets.end())) {
    throw bad_arrays("rows and values do not fit together");
  }
  for (Index r = 0; r < arrays.rows(); ++r) {
    const Index begin = arrays.offsets[static_cast<std::size_t>(r)];
    const Index end = arrays.offsets[static_cast<std::size_t>(r) + 1];
    for (Index e = begin; e < end; ++e) {
      const FeatureIndex column = arrays.columns[static_cast<std::size_t>(e)];
      const double value = arrays.values[static_cast<std::size_t>(e)];
      const FeatureIndex before = e == begin ? -1 : arrays.columns[static_cast<std::size_t>(e) - 1];
      if (column <= before || column >= arrays.width) throw bad_arrays("columns do not ascend or are out of range");
      if (!std::isfinite(value)) throw bad_arrays("a value is not finite");
      if (kind == KernelKind::kSubsequence && (column != e - begin || !is_symbol(value))) {
        throw bad_arrays("a row is not a sequence");
      }
      if (kind == KernelKind::kPrecomputed && value != 1) throw bad_arrays("a row does not name a column");
    }
    if (kind == KernelKind::kPrecomputed && end - begin != 1) throw bad_arrays("a row does not name a column");
  }
}

}  // namespace

KernelSamples::KernelSamples(const Dataset& data, std::span<const Index> samples, const KernelOptions& options,
                             bool has_unit_length, Context& ctx)
    : size_(static_cast<Index>(samples.size())) {
  check_kernel_fits(options.kind, data);
  rows_.width = data.features();
  if (options.kind == KernelKind::kPrecomputed) {
    keep_precomputed(data, samples);
  } else if (options.kind == KernelKind::kSubsequence) {
    copy_strings(data, samples);
    measure_strings(options, ctx);
  } else {
    copy_vectors(data, samples, has_unit_length);
    measure_vectors(ctx);
  }
}

KernelSamples::KernelSamples(KernelArrays arrays, const KernelOptions& options, Context& ctx)
    : size_(arrays.rows()), rows_(std::move(arrays)) {
  check_arrays(rows_, options.kind);
  if (options.kind == KernelKind::kPrecomputed) {
    column_ = std::move(rows_.columns);
    rows_ = {.width = rows_.width};
  } else if (options.kind == KernelKind::kSubsequence) {
    rows_.columns.clear();
    measure_strings(options, ctx);
  } else {
    measure_vectors(ctx);
  }
}

void KernelSamples::copy_vectors(const Dataset& data, std::span<const Index> samples, bool has_unit_length) {
  rows_.offsets.reserve(samples.size() + 1);
  for (const Index s : samples) {
    double factor = 1;
    if (has_unit_length) {
      double square = 0;
      data.for_each_value(s, [&](FeatureIndex, auto value) { square += static_cast<double>(value) * value; });
      factor = square > 0 ? 1 / std::sqrt(square) : 1;
    }
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      if (value == 0) return;
      rows_.columns.push_back(f);
      rows_.values.push_back(factor * static_cast<double>(value));
    });
    rows_.offsets.push_back(std::ssize(rows_.columns));
  }
}

void KernelSamples::copy_strings(const Dataset& data, std::span<const Index> samples) {
  for (const Index s : samples) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const auto symbol = static_cast<double>(value);
      if (symbol == 0) return;
      if (f != std::ssize(rows_.values) - rows_.offsets.back() || !is_symbol(symbol)) {
        throw usage_error(fmt::format("sample {} is not a sequence", data.sample_name(s)),
                          "expected a symbol at every position up to its end");
      }
      rows_.values.push_back(symbol);
    });
    rows_.offsets.push_back(std::ssize(rows_.values));
  }
}

void KernelSamples::keep_precomputed(const Dataset& data, std::span<const Index> samples) {
  matrix_ = data;
  for (const Index s : samples) {
    matrix_rows_.push_back(s);
    column_.push_back(static_cast<FeatureIndex>(data.source_row(s)));
  }
}

void KernelSamples::measure_vectors(Context& ctx) {
  square_.resize(static_cast<std::size_t>(size_));
  parallel_for(ctx, size_, kVectorsPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Scattered row(width(), columns_of(i), values_of(i));
      square_[static_cast<std::size_t>(i)] =
          gathered_product(row.data(), columns_of(i).data(), values_of(i).data(), columns_of(i).size());
    }
  });
}

void KernelSamples::measure_strings(const KernelOptions& options, Context& ctx) {
  subsequence_length_ = options.subsequence_length;
  decay_ = options.decay;
  square_.resize(static_cast<std::size_t>(size_));
  const SubsequenceKernel kernel(options.subsequence_length, options.decay);
  parallel_for(ctx, size_, kStringsPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::span<const double> string = values_of(i);
      kernel.values(string, {&string, 1}, {&square_[static_cast<std::size_t>(i)], 1});
    }
  });
  for (Index i = 0; i < size_; ++i) {
    if (!std::isfinite(square(i))) {
      throw usage_error(
          fmt::format("the subsequence kernel of a sequence of {} symbols is beyond all numbers", values_of(i).size()),
          "expected a smaller `subsequence-length` or `decay`");
    }
    if (square(i) == 0) ++short_strings_;
  }
}

void KernelSamples::row(const KernelOptions& options, const KernelSamples& others, Index i,
                        std::span<double> out) const {
  CLADE_CHECK(std::ssize(out) == others.size());
  part_of_row(options, others, i, 0, out);
}

void KernelSamples::part_of_row(const KernelOptions& options, const KernelSamples& others, Index i, Index begin,
                                std::span<double> out) const {
  CLADE_CHECK(begin >= 0 && begin + std::ssize(out) <= others.size() && i >= 0 && i < size());
  if (options.kind == KernelKind::kPrecomputed) return look_up(others, i, begin, out);
  if (options.kind == KernelKind::kSubsequence) return subsequences(options, others, i, begin, out);
  products(others, i, begin, out);
  if (options.kind == KernelKind::kLinear) return;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = kernel_value(options, out[k], square(i), others.square(begin + static_cast<Index>(k)));
  }
}

double KernelSamples::self(const KernelOptions& options, Index i) const {
  if (options.kind == KernelKind::kSubsequence) return square(i) > 0 ? 1 : 0;
  if (is_of_vectors(options.kind)) return kernel_value(options, square(i), square(i), square(i));
  double value = 0;
  look_up(*this, i, i, {&value, 1});
  return value;
}

void KernelSamples::products(const KernelSamples& others, Index i, Index begin, std::span<double> out) const {
  const Scattered row(std::max(width(), others.width()), columns_of(i), values_of(i));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Index j = begin + static_cast<Index>(k);
    const auto columns = others.columns_of(j);
    out[k] = gathered_product(row.data(), columns.data(), others.values_of(j).data(), columns.size());
  }
}

void KernelSamples::subsequences(const KernelOptions& options, const KernelSamples& others, Index i, Index begin,
                                 std::span<double> out) const {
  for (const KernelSamples* const samples : {this, &others}) {
    CLADE_CHECK(samples->subsequence_length_ == options.subsequence_length && samples->decay_ == options.decay);
  }
  std::vector<std::span<const double>> strings(out.size());
  for (std::size_t k = 0; k < out.size(); ++k) strings[k] = others.values_of(begin + static_cast<Index>(k));
  SubsequenceKernel(options.subsequence_length, options.decay).values(values_of(i), strings, out);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (out[k] == 0) continue;
    const double square_k = others.square(begin + static_cast<Index>(k));
    // For equal strings this is the root of a square, which is exact, so that they give exactly 1 unless it overflows.
    const double both = square(i) * square_k;
    const double scale = std::isfinite(both) ? std::sqrt(both) : std::sqrt(square(i)) * std::sqrt(square_k);
    out[k] = std::min(1.0, out[k] / scale);
  }
}

void KernelSamples::look_up(const KernelSamples& others, Index i, Index begin, std::span<double> out) const {
  CLADE_CHECK(matrix_.has_value());
  CLADE_CHECK(width() == others.width());
  std::vector<FeatureIndex> columns;
  std::vector<double> values;
  matrix_->for_each_value(matrix_rows_[static_cast<std::size_t>(i)], [&](FeatureIndex f, auto value) {
    columns.push_back(f);
    values.push_back(static_cast<double>(value));
  });
  const Scattered row(width(), columns, values);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = row.data()[others.column_[static_cast<std::size_t>(begin) + k]];
  }
}

KernelArrays KernelSamples::arrays(std::span<const Index> rows) const {
  KernelArrays result{.width = width()};
  for (const Index i : rows) {
    if (!column_.empty()) {
      result.columns.push_back(column_[static_cast<std::size_t>(i)]);
      result.values.push_back(1);
    } else {
      const auto values = values_of(i);
      for (std::size_t k = 0; k < values.size(); ++k) {
        result.columns.push_back(rows_.columns.empty() ? static_cast<FeatureIndex>(k) : columns_of(i)[k]);
        result.values.push_back(values[k]);
      }
    }
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

KernelOptions with_gamma(KernelOptions options, const KernelSamples& samples) {
  if (!std::isnan(options.gamma)) return options;
  options.gamma = 1;
  if (!is_of_vectors(options.kind) || options.kind == KernelKind::kLinear) return options;
  const double cells = static_cast<double>(samples.width()) * static_cast<double>(samples.size());
  if (cells == 0) return options;
  double sum = 0;
  Index nonzeros = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    for (const double value : samples.values_of(i)) sum += value;
    nonzeros += std::ssize(samples.values_of(i));
  }
  const double mean = sum / cells;
  double squares = (cells - static_cast<double>(nonzeros)) * mean * mean;
  for (Index i = 0; i < samples.size(); ++i) {
    for (const double value : samples.values_of(i)) squares += (value - mean) * (value - mean);
  }
  const double variance = squares / cells;
  const double gamma = 1 / (static_cast<double>(samples.width()) * variance);
  if (!(variance > 0) || !std::isfinite(gamma) || gamma <= 0) return options;
  options.gamma = options.kind == KernelKind::kExponential ? std::sqrt(gamma) : gamma;
  return options;
}

}  // namespace clade
