#pragma once

#include <clade/dataset.h>
#include <clade/explain.h>
#include <clade/predict.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// explain() and telling_features() for models that score all nodes by kernel ridge regression: the training samples
// that contribute most. With one label per sample the label is compared with the second best one, path against path;
// with several, the score of the label's node is explained by itself. Without a kernel (prior) there is nothing to
// show.
std::vector<Step> explain_ridge(const ModelBody& model, const Dataset& data, Index sample, NodeId label, Index reasons);
std::vector<TellingFeatures> telling_of_ridge(const ModelBody& model, NodeId node, Index top);

}  // namespace clade
