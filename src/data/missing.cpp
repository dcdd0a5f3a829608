#include "data/missing.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace clade {
namespace {

template <class Matrix, class Visit>
void for_each_value(Matrix& m, Index row, Visit&& visit) {
  if constexpr (requires { m.indices; }) {
    for (Index k = m.offsets[row]; k < m.offsets[row + 1]; ++k) visit(m.indices[k], m.values[k]);
  } else {
    for (Index c = 0; c < m.columns; ++c) visit(static_cast<FeatureIndex>(c), m.values[row * m.columns + c]);
  }
}

// `for_each_row(visit)` calls visit(feature, value) for the stored values of `rows` rows.
template <class ForEach>
Replacement means(Index rows, Index features, Index& without_values, const ForEach& for_each) {
  Replacement sum(static_cast<std::size_t>(features), 0);
  std::vector<Index> missing(sum.size(), 0);
  for_each([&](FeatureIndex f, auto value) {
    const auto at = static_cast<std::size_t>(f);
    if (std::isnan(value)) {
      ++missing[at];
    } else {
      sum[at] += static_cast<double>(value);
    }
  });
  Replacement mean(sum.size(), 0);
  bool overflows = false;
  for (std::size_t f = 0; f < sum.size(); ++f) {
    without_values += rows > 0 && missing[f] == rows ? 1 : 0;
    if (missing[f] < rows) mean[f] = sum[f] / static_cast<double>(rows - missing[f]);
    overflows = overflows || !std::isfinite(mean[f]);
  }
  if (!overflows) return mean;
  // A sum may be beyond the range of numbers where the mean is not.
  for (std::size_t f = 0; f < sum.size(); ++f) mean[f] = std::isfinite(sum[f]) ? mean[f] : 0;
  for_each([&](FeatureIndex f, auto value) {
    const auto at = static_cast<std::size_t>(f);
    if (std::isfinite(sum[at]) || std::isnan(value)) return;
    mean[at] += static_cast<double>(value) / static_cast<double>(rows - missing[at]);
  });
  return mean;
}

// The rows of the samples as a new matrix of the same kind.
FeatureMatrix copy_of(const Dataset& data) {
  return std::visit(
      [&](const auto& m) -> FeatureMatrix {
        using Matrix = std::remove_cvref_t<decltype(m)>;
        const Index rows = data.samples();
        if constexpr (requires { m.indices; }) {
          Index stored = 0;
          for (Index s = 0; s < rows; ++s) stored += std::ssize(m.row_indices(data.source_row(s)));
          Matrix copy{rows, m.columns, Buffer<Index>(rows + 1), Buffer<FeatureIndex>(stored), {}};
          copy.values = decltype(copy.values)(stored);
          copy.offsets[0] = 0;
          for (Index s = 0; s < rows; ++s) {
            const Index row = data.source_row(s);
            std::ranges::copy(m.row_indices(row), copy.indices.begin() + copy.offsets[s]);
            std::ranges::copy(m.row_values(row), copy.values.begin() + copy.offsets[s]);
            copy.offsets[s + 1] = copy.offsets[s] + std::ssize(m.row_indices(row));
          }
          return copy;
        } else {
          Matrix copy{rows, m.columns, {}};
          copy.values = decltype(copy.values)(rows * m.columns);
          for (Index s = 0; s < rows; ++s) {
            std::ranges::copy(m.row(data.source_row(s)), copy.values.begin() + s * m.columns);
          }
          return copy;
        }
      },
      data.matrix());
}

}  // namespace

Index replace_missing(FeatureMatrix& matrix, const Replacement& replacement, Context& ctx) {
  return std::visit(
      [&](auto& m) {
        return parallel_reduce(
            ctx, m.rows, Index{256}, Index{0},
            [&](Index begin, Index end) {
              Index replaced = 0;
              for (Index r = begin; r < end; ++r) {
                for_each_value(m, r, [&](FeatureIndex c, auto& value) {
                  if (!std::isnan(value)) return;
                  const double by = replacement.empty() ? 0 : replacement[static_cast<std::size_t>(c)];
                  value = static_cast<std::remove_reference_t<decltype(value)>>(by);
                  ++replaced;
                });
              }
              return replaced;
            },
            [](Index& total, Index part) { total += part; });
      },
      matrix);
}

Replacement feature_means(const FeatureMatrix& matrix, Index& without_values) {
  return means(row_count(matrix), column_count(matrix), without_values, [&](const auto& visit) {
    std::visit(
        [&](const auto& m) {
          for (Index r = 0; r < m.rows; ++r) for_each_value(m, r, visit);
        },
        matrix);
  });
}

Replacement feature_means(const Dataset& data, std::span<const Index> samples, Index& without_values) {
  return means(std::ssize(samples), data.features(), without_values, [&](const auto& visit) {
    for (const Index s : samples) data.for_each_value(s, visit);
  });
}

bool has_missing_values(const Dataset& data) {
  for (Index s = 0; s < data.samples(); ++s) {
    bool is_missing = false;
    data.for_each_value(s, [&](FeatureIndex, auto value) { is_missing = is_missing || std::isnan(value); });
    if (is_missing) return true;
  }
  return false;
}

Dataset with_replaced_values(const Dataset& data, std::shared_ptr<const Replacement> replacement, Index& replaced,
                             Context& ctx) {
  if (!has_missing_values(data)) return data.with_replacement(std::move(replacement));
  Dataset::Parts parts;
  parts.features = copy_of(data);
  replaced += replace_missing(parts.features, *replacement, ctx);
  parts.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
  parts.vectorizer = data.vectorizer();
  parts.replacement = std::move(replacement);
  return data.with_features(std::move(parts));
}

std::vector<std::string> replacement_notes(Index replaced, bool by_mean, Index without_values) {
  if (!by_mean) return {fmt::format("{} missing values replaced by 0", replaced)};
  std::vector<std::string> notes{fmt::format("{} missing values replaced by their feature's mean", replaced)};
  if (without_values > 0) {
    notes.push_back(fmt::format("{} features have no value at all: set to 0", without_values));
  }
  return notes;
}

std::vector<Index> complete_rows(const FeatureMatrix& matrix) {
  std::vector<Index> rows;
  std::visit(
      [&](const auto& m) {
        for (Index r = 0; r < m.rows; ++r) {
          bool complete = true;
          for_each_value(m, r, [&](FeatureIndex, auto value) { complete = complete && !std::isnan(value); });
          if (complete) rows.push_back(r);
        }
      },
      matrix);
  return rows;
}

void require_finite(const Dataset& data, Index begin, Index end) {
  for (Index s = begin; s < end; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      if (std::isfinite(value)) return;
      throw usage_error(
          fmt::format("feature {} of sample {} is missing or infinite", data.feature_name(f), data.sample_name(s)),
          "expected finite values; `missing` says what to do with missing ones");
    });
  }
}

void require_no_infinity(const Dataset& data, Index begin, Index end) {
  for (Index s = begin; s < end; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      if (!std::isinf(value)) return;
      throw usage_error(fmt::format("feature {} of sample {} is infinite", data.feature_name(f), data.sample_name(s)),
                        "expected finite or missing values");
    });
  }
}

}  // namespace clade
