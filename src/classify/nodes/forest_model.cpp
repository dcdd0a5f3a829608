#include "classify/nodes/forest_model.h"

#include <algorithm>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kForestRowsPerTask = 32;

}  // namespace

LeafSums::LeafSums(const Forest& forest) : forest_(forest), share_(static_cast<std::size_t>(forest.sets.samples()), 0) {
  const auto largest = std::ranges::max_element(forest.sets.columns);
  if (largest != forest.sets.columns.end()) row_.assign(static_cast<std::size_t>(*largest) + 1, 0);
}

void LeafSums::add(const ClusteringTree& tree, std::int32_t leaf) {
  ++leaves_;
  const auto l = static_cast<std::size_t>(leaf);
  for (Index k = tree.leaf_offsets[l]; k < tree.leaf_offsets[l + 1]; ++k) {
    add_share(tree.leaf_set[static_cast<std::size_t>(k)],
              static_cast<double>(tree.leaf_share[static_cast<std::size_t>(k)]));
  }
}

bool LeafSums::add_without(const ClusteringTree& tree, std::int32_t leaf, std::int32_t set, double mass) {
  const auto l = static_cast<std::size_t>(leaf);
  const double all = tree.leaf_mass[l];
  constexpr double kRounding = 1e-6;  // shares are floats
  if (all - mass <= kRounding * all) return false;
  ++leaves_;
  for (Index k = tree.leaf_offsets[l]; k < tree.leaf_offsets[l + 1]; ++k) {
    const std::int32_t other = tree.leaf_set[static_cast<std::size_t>(k)];
    double own = all * static_cast<double>(tree.leaf_share[static_cast<std::size_t>(k)]);
    if (other == set) own -= mass;
    if (own > kRounding * all) add_share(other, own / (all - mass));
  }
  return true;
}

void LeafSums::add_share(std::int32_t set, double share) {
  double& sum = share_[static_cast<std::size_t>(set)];
  if (sum == 0) touched_.push_back(set);
  sum += share;
}

void LeafSums::finish(Matrix& sums, Index row) {
  const double factor = leaves_ == 0 ? 0 : 1 / static_cast<double>(leaves_);
  std::sort(touched_.begin(), touched_.end());  // the order of sets in memory
  for (const std::int32_t set : touched_) {
    const double share = factor * share_[static_cast<std::size_t>(set)];
    share_[static_cast<std::size_t>(set)] = 0;
    for (const std::int32_t c : forest_.sets.of(set)) row_[static_cast<std::size_t>(c)] += share;
  }
  for (std::size_t c = 0; c < row_.size(); ++c) {
    sums(row, static_cast<Index>(c)) += row_[c];
    row_[c] = 0;
  }
  touched_.clear();
  leaves_ = 0;
}

void copy_row(const Dataset& data, Index sample, std::vector<double>& row) {
  std::fill(row.begin(), row.end(), 0);
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    if (static_cast<std::size_t>(f) < row.size()) row[static_cast<std::size_t>(f)] = static_cast<double>(value);
  });
}

void add_forest(const Forest& forest, Index features, const Dataset& data, Index begin, Index end, Matrix& sums,
                Context& ctx) {
  parallel_for(ctx, end - begin, kForestRowsPerTask, [&](Index from, Index to) {
    LeafSums leaves(forest);
    std::vector<double> row(static_cast<std::size_t>(features));
    for (Index s = from; s < to; ++s) {
      copy_row(data, begin + s, row);
      for (const ClusteringTree& tree : forest.trees) leaves.add(tree, tree.leaf_of(row));
      leaves.finish(sums, s);
    }
  });
}

}  // namespace clade
