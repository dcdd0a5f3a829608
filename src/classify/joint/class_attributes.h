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

// Computes the scores of all classes from the outputs <w_z, x> of all attributes, in one of two ways.
//
// By place: attributes are stored by their position within a class, so that the loops run over classes.
//
// By sums: where every class gives all its attributes the same value, classes share sums. Let C(z) be the attributes
// that all classes with attribute z have. If C(z) has p, then C(p) is part of C(z), and the sum over C(z) is that over
// C(p) and over the few that are left. In a DAG of 4,000 nodes a class has 28 ancestors on the average, and an addition
// or two remain per node.
class ClassScorer {
 public:
  explicit ClassScorer(const ClassAttributes& attributes);

  template <class T>
  void scores(const T* outputs, double* out) const {
    uses_sums_ ? scores_by_sums(outputs, out) : scores_by_place(outputs, out);
  }
  bool uses_sums() const { return uses_sums_; }

 private:
  void arrange_by_place(const ClassAttributes& attributes);
  void arrange_sums(const ClassAttributes& attributes);

  // Where all classes have so many attributes, and each gives them the same value.
  template <int kPlaces, class T>
  void scores_of_equals(const T* outputs, double* out) const {
    for (Index y = 0; y < classes_; ++y) {
      const std::int32_t* const index = index_.data() + y;
      double sum = static_cast<double>(outputs[index[0]]);
      for (int k = 1; k < kPlaces; ++k) sum += static_cast<double>(outputs[index[k * classes_]]);
      out[y] = value_[static_cast<std::size_t>(y)] * sum;
    }
  }

  template <class T>
  void scores_by_place(const T* outputs, double* out) const {
    if (is_equal_ && places_ == 1) return scores_of_equals<1>(outputs, out);
    if (is_equal_ && places_ == 2) return scores_of_equals<2>(outputs, out);
    if (is_equal_ && places_ == 3) return scores_of_equals<3>(outputs, out);
    if (is_equal_ && places_ == 4) return scores_of_equals<4>(outputs, out);
    for (Index y = 0; y < classes_; ++y)
      out[y] = value_[static_cast<std::size_t>(y)] * static_cast<double>(outputs[index_[static_cast<std::size_t>(y)]]);
    for (Index k = 1; k < places_; ++k) {
      const double* const value = value_.data() + k * classes_;
      const std::int32_t* const index = index_.data() + k * classes_;
      for (Index y = 0; y < classes_; ++y) out[y] += value[y] * static_cast<double>(outputs[index[y]]);
    }
  }

  template <class T>
  void scores_by_sums(const T* outputs, double* out) const {
    thread_local std::vector<double> sums;
    sums.resize(base_.size() + 1);
    sums[0] = 0;
    for (std::size_t k = 0; k < base_.size(); ++k) sums[k + 1] = static_cast<double>(outputs[index_[k]]);
    for (const Term& term : more_) sums[static_cast<std::size_t>(term.sum)] += static_cast<double>(outputs[term.index]);
    for (std::size_t k = 0; k < base_.size(); ++k) sums[k + 1] += sums[static_cast<std::size_t>(base_[k])];
    for (Index y = 0; y < classes_; ++y) {
      const auto at = static_cast<std::size_t>(y);
      out[y] = value_[at] * sums[static_cast<std::size_t>(sum_of_[at])];
    }
  }

  Index classes_;
  Index places_ = 1;
  bool uses_sums_ = false;
  bool is_equal_ = false;            // all classes have as many attributes, each with the same value for all of them
  std::vector<std::int32_t> index_;  // places x classes; or the first attribute that every sum adds to its base
  std::vector<double> value_;        // like it; or per class
  // Sum 0 is 0. Sum k + 1 is sum base_[k], the output of index_[k], and those of its further terms: three loops without
  // branches.
  struct Term {
    std::int32_t sum;
    std::int32_t index;
  };
  std::vector<std::int32_t> base_;
  std::vector<Term> more_;
  std::vector<std::int32_t> sum_of_;  // class -> sum
};

}  // namespace clade
