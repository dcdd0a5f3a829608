#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include "classify/model_body.h"

namespace clade {

// The data with the model's features: what a model may be applied to. Where both have names these must be the same, in
// the same order; the error says which differ. With `by_name` columns are found by name instead: features that the
// model does not know are left out, those that the data lack are 0, and none may come twice. Without names sparse data
// may have fewer columns. Missing values are replaced as in training, if the model knows how. Throws Error (kInput).
Dataset with_model_features(const Dataset& data, const ModelBody& model, bool by_name, Context& ctx);

// The data with their labels, found by name, over the model's taxonomy without miscellaneous leaves, for measuring. A
// label that is there an ancestor of another one of its sample is dropped, with a note. Throws Error (kInput) for a
// label that the model does not know.
Dataset with_model_labels(const Dataset& data, const ModelBody& model, Context& ctx);

}  // namespace clade
