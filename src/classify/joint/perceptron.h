#pragma once

#include <memory>

#include "classify/classifier.h"

namespace clade {

std::unique_ptr<Classifier> make_hierarchical_perceptron();
// The same with `flat` attributes and zero-one loss.
std::unique_ptr<Classifier> make_flat_perceptron();
std::unique_ptr<Classifier> make_hieron();

}  // namespace clade
