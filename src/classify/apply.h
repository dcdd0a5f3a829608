#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// The data with the model's features, ready for the model. If both have feature names, the data must have all of the
// model's; the error says which differ. With `by_name`, columns are found by name instead: features unknown to the
// model are left out, those that the data lacks are 0, and none may occur twice. Without names, sparse data may have
// fewer columns. Missing values are replaced as in training, if the model knows how. Throws Error (kInput),
// which suggests `align-features` if there `can_align`.
Dataset with_model_features(const Dataset& data, const ModelBody& model, bool by_name, Context& ctx,
                            bool can_align = true);

// The data with its labels found by name in the model's taxonomy, without miscellaneous leaves, for measuring. Labels
// that the model does not know become new leaves at its end. A label that is an ancestor of another label of its sample
// in that taxonomy is dropped, with a note.
struct ModelLabels {
  Dataset data;
  std::vector<NodeId> unknown;  // the new leaves
  Index samples_with_unknown = 0;
};
ModelLabels with_model_labels(const Dataset& data, const ModelBody& model, Context& ctx);

// The taxonomy with leaves for labels of the data that it lacks, each below its nearest ancestors in the data's
// taxonomy that are known, or below the root. Existing nodes keep their ids; those of the new ones are added to
// `added`.
Taxonomy with_nodes_of(const Taxonomy& taxonomy, const Dataset& data, std::vector<NodeId>& added);

}  // namespace clade
