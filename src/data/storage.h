#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

namespace clade {

// Stored values that are not zero (missing ones count).
Index count_nonzeros(const FeatureMatrix& matrix, Context& ctx);

// Is dense data of so many values sparse with kAuto?
bool is_better_sparse(Index values, Index nonzeros);
std::string better_sparse_note(Index values, Index nonzeros);

// Converts features to the requested storage and precision; `notes` says what was decided for the caller. kAuto keeps
// what the file had, but makes large dense data sparse when less than a tenth of it is non-zero. Throws Error (kInput)
// when dense storage would not fit into this machine's memory.
FeatureMatrix stored_as(FeatureMatrix matrix, Storage storage, Precision precision, std::vector<std::string>& notes,
                        Context& ctx);

}  // namespace clade
