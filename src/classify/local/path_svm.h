#pragma once

#include <memory>

#include "classify/classifier.h"

namespace clade {

// path-svm: a linear SVM for every node but the root, the samples below it against all others. A leaf's score is the
// sum over its path of the nodes' decisions times a weight per level. The weights are learnt on samples that are held
// out: every SVM is solved once more without them, from its solution with them, which takes few passes; then a
// coordinate search finds the weights with the best hierarchical F1. All weight on the last level is the flat
// one-vs-rest classifier.
std::unique_ptr<Classifier> make_path_svm();

}  // namespace clade
