#include "data/missing.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/parallel.h"

namespace clade {
namespace {

// Features that miss values: how many values miss, and the sum of the others. Few features do as a rule, so this costs
// nothing for data of a million columns.
struct Column {
  Index missing = 0;
  double sum = 0;
};

template <class Matrix, class Visit>
void for_each_value(Matrix& m, Index row, Visit&& visit) {
  if constexpr (requires { m.indices; }) {
    for (Index k = m.offsets[row]; k < m.offsets[row + 1]; ++k) visit(m.indices[k], m.values[k]);
  } else {
    for (Index c = 0; c < m.columns; ++c) visit(static_cast<FeatureIndex>(c), m.values[row * m.columns + c]);
  }
}

std::map<FeatureIndex, Column> columns_with_missing(const FeatureMatrix& matrix) {
  std::map<FeatureIndex, Column> columns;
  std::visit(
      [&](const auto& m) {
        for (Index r = 0; r < m.rows; ++r) {
          for_each_value(m, r, [&](FeatureIndex c, auto value) {
            if (std::isnan(value)) ++columns[c].missing;
          });
        }
        if (columns.empty()) return;
        for (Index r = 0; r < m.rows; ++r) {
          for_each_value(m, r, [&](FeatureIndex c, auto value) {
            if (std::isnan(value)) return;
            const auto found = columns.find(c);
            if (found != columns.end()) found->second.sum += static_cast<double>(value);
          });
        }
      },
      matrix);
  return columns;
}

template <class Replacement>
Index replace(FeatureMatrix& matrix, Context& ctx, Replacement&& replacement) {
  return std::visit(
      [&](auto& m) {
        return parallel_reduce(
            ctx, m.rows, Index{256}, Index{0},
            [&](Index begin, Index end) {
              Index replaced = 0;
              for (Index r = begin; r < end; ++r) {
                for_each_value(m, r, [&](FeatureIndex c, auto& value) {
                  if (!std::isnan(value)) return;
                  value = static_cast<std::remove_reference_t<decltype(value)>>(replacement(c));
                  ++replaced;
                });
              }
              return replaced;
            },
            [](Index& total, Index part) { total += part; });
      },
      matrix);
}

}  // namespace

void replace_missing_by_mean(FeatureMatrix& matrix, std::vector<std::string>& notes, Context& ctx) {
  const auto columns = columns_with_missing(matrix);
  const Index rows = row_count(matrix);
  const Index all_missing =
      std::ranges::count_if(columns, [&](const auto& entry) { return entry.second.missing == rows; });
  const Index replaced = replace(matrix, ctx, [&](FeatureIndex c) {
    const Column& column = columns.at(c);
    return column.missing == rows ? 0.0 : column.sum / static_cast<double>(rows - column.missing);
  });
  notes.push_back(fmt::format("{} missing values replaced by their feature's mean", replaced));
  if (all_missing > 0) notes.push_back(fmt::format("{} features have no value at all: set to 0", all_missing));
}

void replace_missing_by_zero(FeatureMatrix& matrix, std::vector<std::string>& notes, Context& ctx) {
  const Index replaced = replace(matrix, ctx, [](FeatureIndex) { return 0.0; });
  notes.push_back(fmt::format("{} missing values replaced by 0", replaced));
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

}  // namespace clade
