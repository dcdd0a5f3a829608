#pragma once

#include <clade/dataset.h>
#include <clade/model.h>

namespace clade {

// The data with the model's features: what a model may be applied to. Where both have names these must be the same, in
// the same order; the error says which differ. With `by_name` columns are found by name instead: features that the
// model does not know are left out, those that the data lack are 0. Without names sparse data may have fewer columns.
// Throws Error (kInput).
Dataset with_model_features(const Dataset& data, const Model& model, bool by_name);

// The data with their labels, found by name, over the model's taxonomy, for measuring. Throws Error (kInput) for a
// label that the model does not know.
Dataset with_model_labels(const Dataset& data, const Model& model);

// The data without labels, over the model's taxonomy, for naming predictions.
Dataset without_labels(const Dataset& data, const Model& model);

}  // namespace clade
