#pragma once

#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "classify/joint/attribute_weights.h"

namespace clade {

// Which attributes have a weight for which column of some rows, if every attribute has a list of features of its own.
// Attributes with equal lists share one.
class FeatureMask {
 public:
  FeatureMask() = default;  // every attribute has all
  // `allowed` has a list per attribute; `features` are those of the columns. A column that stands for no feature (the
  // constant) is in every list.
  FeatureMask(const std::vector<std::vector<FeatureIndex>>& allowed, std::span<const FeatureIndex> features);

  bool is_none() const { return lists_ == 0; }
  Index lists() const { return lists_; }
  std::int32_t list_of(std::int32_t attribute) const { return list_[static_cast<std::size_t>(attribute)]; }
  const std::int32_t* list_by_attribute() const { return list_.data(); }
  bool has(std::int32_t column, std::int32_t list) const {
    return is_in_[static_cast<std::size_t>(column) * static_cast<std::size_t>(lists_) + static_cast<std::size_t>(list)];
  }

  // The changes to attributes that have the column.
  void pick(std::int32_t column, std::span<const AttributeChange> changes, std::vector<AttributeChange>& picked) const {
    picked.clear();
    for (const AttributeChange& c : changes) {
      if (has(column, list_of(c.attribute))) picked.push_back(c);
    }
  }

 private:
  Index lists_ = 0;
  std::vector<std::int32_t> list_;  // of each attribute
  std::vector<bool> is_in_;         // columns x lists
};

// ||x||^2 of a sample as the weights of an attribute see it: with a mask, over the features of its list alone.
class SampleSquare {
 public:
  SampleSquare(double square) : all_(square) {}  // NOLINT(google-explicit-constructor): mostly it is one number
  // `by_list` has the squares over lists, `list` the list of every attribute.
  SampleSquare(double square, const double* by_list, const std::int32_t* list)
      : all_(square), by_list_(by_list), list_(list) {}

  bool is_masked() const { return by_list_ != nullptr; }
  double common() const { return all_; }  // over all features
  double of(std::int32_t attribute) const { return by_list_ == nullptr ? all_ : by_list_[list_[attribute]]; }

 private:
  double all_;
  const double* by_list_ = nullptr;
  const std::int32_t* list_ = nullptr;
};

// sum over the changes of ||value x||^2.
inline double square_of(std::span<const AttributeChange> changes, SampleSquare square) {
  double sum = 0;
  for (const AttributeChange& c : changes) sum += c.value * c.value * square.of(c.attribute);
  return sum;
}

}  // namespace clade
