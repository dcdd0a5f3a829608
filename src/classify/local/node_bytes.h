#pragma once

#include "classify/local/label_tree_training.h"
#include "classify/model_body.h"
#include "classify/pack.h"
#include "core/byte_string.h"

namespace clade {

// The classifier of a node as bytes, for other processes of the same run.
void put(ByteWriter& bytes, const NodeClassifier& node);
// Arrays are kept alive by `weights` and `groups`; `features` is the number of the model's.
NodeClassifier get_node(ByteReader& bytes, Index features, PackedWeights& weights, PackedGroups& groups);

}  // namespace clade
