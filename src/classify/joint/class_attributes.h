#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// <Lambda(a), Lambda(b)>
double similarity(const ClassAttributes& attributes, Index a, Index b);

// lambda_z(y) = 1/sqrt(depth) for y itself and its ancestors z, except nodes that all classes share, which get 0; depth
// is the largest number of proper ancestors of a class. Normalised: each class uses its own number of ancestors. In a
// DAG all ancestors count. The classes' own nodes are the first attributes, in order; inner nodes follow by id.
ClassAttributes path_attributes(const Taxonomy& taxonomy, std::span<const NodeId> classes, bool normalised);
// Classes share nothing.
ClassAttributes flat_attributes(std::span<const NodeId> classes);
// `values` has a row per class. Throws Error (kInput) if all values are 0.
ClassAttributes given_attributes(const std::vector<std::vector<double>>& values);
// Attributes with the given inner products. Throws Error (kInput) if the matrix is 0, not symmetric or not positive
// semidefinite.
ClassAttributes attributes_of_similarity(const std::vector<std::vector<double>>& similarity);

// Computes the scores of all classes from the outputs <w_z, x> of all attributes. Attributes are stored by their
// position within a class, so that the loops run over classes.
class ClassScorer {
 public:
  explicit ClassScorer(const ClassAttributes& attributes);

  template <class T>
  void scores(const T* outputs, double* out) const {
    for (Index y = 0; y < classes_; ++y)
      out[y] = value_[static_cast<std::size_t>(y)] * static_cast<double>(outputs[index_[static_cast<std::size_t>(y)]]);
    for (Index k = 1; k < places_; ++k) {
      const double* const value = value_.data() + k * classes_;
      const std::int32_t* const index = index_.data() + k * classes_;
      for (Index y = 0; y < classes_; ++y) out[y] += value[y] * static_cast<double>(outputs[index[y]]);
    }
  }

 private:
  Index classes_;
  Index places_;
  std::vector<std::int32_t> index_;  // places x classes
  std::vector<double> value_;
};

}  // namespace clade
