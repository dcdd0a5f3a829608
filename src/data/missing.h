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

// The mean of every feature over the values that are there (zeros that a sparse row leaves out count); 0 for a feature
// without any. The number of such features is added to `without_values`.
Replacement feature_means(const FeatureMatrix& matrix, Index& without_values);
Replacement feature_means(const Dataset& data, std::span<const Index> samples, Index& without_values);

// Replaces missing values, in place or in a copy; returns how many.
Index replace_missing(FeatureMatrix& matrix, const Replacement& replacement, Context& ctx);
// Adds their number to `replaced`. Shares everything where no value is missing. The result keeps the replacement.
Dataset with_replaced_values(const Dataset& data, std::shared_ptr<const Replacement> replacement, Index& replaced,
                             Context& ctx);

// What was replaced, in words.
std::vector<std::string> replacement_notes(Index replaced, bool by_mean, Index without_values);

// For methods that can do nothing with them: throws Error (kInput) that names the first value of samples [begin, end)
// that is missing or infinite.
void require_finite(const Dataset& data, Index begin, Index end);

}  // namespace clade
