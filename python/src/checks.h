#pragma once

#include <clade/dataset.h>
#include <clade/error.h>
#include <clade/train.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "arrays.h"

// What the library takes for granted of its callers, because files are checked when they are read; arrays of Python are
// checked here.
namespace clade::python {

template <class T>
std::span<const T> one_per_sample(const Array<T>& values, const Dataset& data, std::string_view what) {
  if (values.size() != data.samples()) {
    throw usage_error(fmt::format("{} {} for {} samples", values.size(), what, data.samples()), "expected as many");
  }
  return span_of(values);
}

// Weights of samples; none: all weigh the same.
inline std::span<const double> weights_of(const Array<double>& weights, const Dataset& data) {
  if (weights.size() == 0) return {};
  const auto given = one_per_sample(weights, data, "weights");
  for (const double weight : given) {
    if (!std::isfinite(weight) || weight < 0) {
      throw usage_error(fmt::format("weight {}", weight), "expected finite weights of 0 or more");
    }
  }
  return given;
}

// Numbers of folds from 0; none: there are no folds.
inline std::span<const Index> folds_of(const Array<Index>& folds, const Dataset& data) {
  if (folds.size() == 0) return {};
  const auto given = one_per_sample(folds, data, "folds");
  for (const Index fold : given) {
    if (fold < 0 || fold >= data.samples()) {
      throw usage_error(fmt::format("fold {}", fold), fmt::format("expected 0 to {}", data.samples() - 1));
    }
  }
  return given;
}

// A request that can be understood, and whose ranking, if it has one, belongs to data with these features and nodes.
inline void check_recipe(const Recipe& recipe, const Dataset& data) {
  check_request(recipe);
  if (!recipe.features) return;
  const NodeId nodes = with_leaf_labels(data).taxonomy().size();
  for (const NodeRanking& node : recipe.features->nodes) {
    const auto is_known = [&](FeatureIndex f) { return f >= 0 && f < data.features(); };
    if (node.node >= nodes || !std::ranges::all_of(node.ranking, is_known) ||
        !std::ranges::all_of(node.common, is_known)) {
      throw usage_error("a ranking of other data", "expected the features and the hierarchy that it was made for");
    }
  }
}

}  // namespace clade::python
