#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Missing values are NaN.

bool has_missing_values(const Dataset& data);
// The rows without any missing value, ascending.
std::vector<Index> complete_rows(const FeatureMatrix& matrix);

// The mean of every feature over the values present (zeros that a sparse row leaves out count); 0 for a feature without
// any. Adds the number of such features to `without_values`.
Replacement feature_means(const FeatureMatrix& matrix, Index& without_values);
Replacement feature_means(const Dataset& data, std::span<const Index> samples, Index& without_values);

// Replaces missing values, in place or in a copy; returns how many.
Index replace_missing(FeatureMatrix& matrix, const Replacement& replacement, Context& ctx);
// Adds the number of values replaced to `replaced`. Shares everything if no value is missing. The result keeps the
// replacement.
Dataset with_replaced_values(const Dataset& data, std::shared_ptr<const Replacement> replacement, Index& replaced,
                             Context& ctx);

// Says in words what was replaced.
std::vector<std::string> replacement_notes(Index replaced, bool by_mean, Index without_values);

// For methods that cannot handle them: throws Error (kInput) that names the first missing or infinite value of the
// samples [begin, end).
void require_finite(const Dataset& data, Index begin, Index end);
// For methods that handle missing values: the same for infinite ones.
void require_no_infinity(const Dataset& data, Index begin, Index end);

}  // namespace clade
