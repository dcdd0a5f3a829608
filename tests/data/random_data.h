#pragma once

#include <clade/dataset.h>
#include <clade/taxonomy.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "taxonomy/random_taxonomies.h"

namespace clade {

// Random data for tests: the same options give the same data, whatever the storage.
struct RandomDataOptions {
  Index samples = 20;
  Index features = 5;
  NodeId nodes = 10;
  bool dag = false;
  bool several_labels = false;
  bool inner_labels = false;
  bool sparse = false;
  bool single_precision = false;
  bool names = false;    // feature and sample names
  bool missing = false;  // some values are missing
  double density = 0.4;
  std::uint64_t seed = 1;
};

template <class T>
FeatureMatrix random_matrix(const RandomDataOptions& o, RandomStream& random) {
  DenseMatrix<T> dense{o.samples, o.features, Buffer<T>(o.samples * o.features)};
  for (T& value : dense.values) {
    value = random.uniform() < o.density ? static_cast<T>(random.normal()) : T(0);
    if (o.missing && random.uniform() < 0.1) value = std::numeric_limits<T>::quiet_NaN();
  }
  if (!o.sparse) return dense;
  SparseMatrix<T> sparse{o.samples, o.features, Buffer<Index>(o.samples + 1), {}, {}};
  std::vector<FeatureIndex> indices;
  std::vector<T> values;
  sparse.offsets[0] = 0;
  for (Index r = 0; r < o.samples; ++r) {
    for (Index c = 0; c < o.features; ++c) {
      const T value = dense.values[r * o.features + c];
      if (value == 0) continue;
      indices.push_back(static_cast<FeatureIndex>(c));
      values.push_back(value);
    }
    sparse.offsets[r + 1] = std::ssize(indices);
  }
  sparse.indices = Buffer<FeatureIndex>(std::ssize(indices));
  sparse.values = Buffer<T>(std::ssize(values));
  std::ranges::copy(indices, sparse.indices.begin());
  std::ranges::copy(values, sparse.values.begin());
  return sparse;
}

inline Dataset::Parts random_parts(const RandomDataOptions& o) {
  RandomStream random(o.seed, {kTestStream, 2});
  const Taxonomy taxonomy = random_taxonomy(o.nodes, o.dag, o.seed);
  LabelSets labels;
  std::vector<NodeId> candidates(taxonomy.leaves().begin(), taxonomy.leaves().end());
  if (o.inner_labels)
    candidates.insert(candidates.end(), taxonomy.internal_nodes().begin(), taxonomy.internal_nodes().end());
  for (Index s = 0; s < o.samples; ++s) {
    std::vector<NodeId> of{candidates[static_cast<std::size_t>(random.below(std::ssize(candidates)))]};
    const NodeId second = candidates[static_cast<std::size_t>(random.below(std::ssize(candidates)))];
    const bool related = second == of[0] || taxonomy.is_ancestor(second, of[0]) || taxonomy.is_ancestor(of[0], second);
    if (o.several_labels && !related) of.push_back(second);
    std::ranges::sort(of);
    labels.nodes.insert(labels.nodes.end(), of.begin(), of.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  Dataset::Parts parts{
      .features = o.single_precision ? random_matrix<float>(o, random) : random_matrix<double>(o, random),
      .labels = std::move(labels),
      .taxonomy = taxonomy};
  if (o.names) {
    for (Index c = 0; c < o.features; ++c) parts.feature_names.push_back("feature " + std::to_string(c));
    for (Index s = 0; s < o.samples; ++s) parts.sample_names.push_back("s" + std::to_string(s));
  }
  return parts;
}

inline Dataset random_dataset(const RandomDataOptions& options) {
  return Dataset(random_parts(options));
}

inline std::map<FeatureIndex, double> values_of(const Dataset& data, Index sample) {
  std::map<FeatureIndex, double> values;
  data.for_each_value(sample, [&](FeatureIndex feature, auto value) { values[feature] = static_cast<double>(value); });
  return values;
}

}  // namespace clade
