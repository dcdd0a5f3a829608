#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

namespace clade {

// Missing values are NaN. These replace them, in place, and say in `notes` what they did.

// By the mean of the values that are there (zeros that a sparse row leaves out count); a feature without any becomes 0.
void replace_missing_by_mean(FeatureMatrix& matrix, std::vector<std::string>& notes, Context& ctx);
void replace_missing_by_zero(FeatureMatrix& matrix, std::vector<std::string>& notes, Context& ctx);
// The rows without any missing value, ascending.
std::vector<Index> complete_rows(const FeatureMatrix& matrix);

// For methods that can do nothing with them: throws Error (kInput) that names the first value of samples [begin, end)
// that is missing or infinite.
void require_finite(const Dataset& data, Index begin, Index end);

}  // namespace clade
