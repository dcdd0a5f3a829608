#pragma once

#include <memory>

#include "classify/classifier.h"

namespace clade {

// path-svm: a linear SVM for every node but the root, the samples below it against all others. A leaf's score is the
// sum over its path of the nodes' decisions times a weight per level. The weights are learnt on what the decisions
// would be for samples held out of training, estimated from the dual variables (level_weights.h): a coordinate search
// finds those with the best sum of hierarchical F1 and accuracy. All weight on the leaves is the flat one-vs-rest
// classifier.
std::unique_ptr<Classifier> make_path_svm();

}  // namespace clade
