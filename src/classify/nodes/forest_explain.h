#pragma once

#include <clade/dataset.h>
#include <clade/explain.h>
#include <clade/predict.h>

#include <vector>

#include "classify/model_body.h"
#include "classify/nodes/forest_model.h"

namespace clade {

// How much each feature changes the score of a column for one sample: on its way down every tree, the change of the
// column's mean at each split belongs to the feature of the split (Saabas 2014); means over the trees. With the means
// of the roots, these add up to the score.
std::vector<double> path_contributions(const Forest& forest, Index features, std::int32_t column,
                                       std::span<const double> row);

// The importance of every feature for a column: the sum over its splits of the reduction of the column's variance,
// n_L n_R / (n_L + n_R) (mean_R - mean_L)^2, per unit of mass, mean over the trees. Negative where splits whose larger
// values have fewer of the column's samples prevail.
std::vector<double> signed_importance(const Forest& forest, Index features, std::int32_t column);

// The steps from the root to the label, in a DAG by the parents with the largest scores; the rival is the best other
// child with training samples.
std::vector<Step> explain_forest(const ModelBody& model, const Dataset& data, Index sample, NodeId label,
                                 Index reasons);

// By importance; in favour are features whose larger values speak for the node. Throws Error (kInput) for a node
// without training samples.
std::vector<TellingFeatures> telling_of_forest(const ModelBody& model, NodeId node, Index top);

}  // namespace clade
