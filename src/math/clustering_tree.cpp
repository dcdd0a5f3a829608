#include "math/clustering_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/check.h"

namespace clade {
namespace {

std::size_t at(Index index) {
  return static_cast<std::size_t>(index);
}

// The values of one feature among the samples of a node; samples without a value have 0.
struct NodeColumn {
  std::span<const std::int32_t> places;  // of the values, among the node's samples; empty: all, in their order
  std::span<const double> values;
  Index zeros = 0;  // samples without a value

  std::int32_t place(std::size_t k) const { return places.empty() ? static_cast<std::int32_t>(k) : places[k]; }
};

struct Split {
  double score = -1;  // the weighted sum of squares; negative: none
  FeatureIndex feature = -1;
  double threshold = 0;
  bool missing_left = false;
};

// `by_set` is 0 before and after.
void append_leaf(ClusteringTree& tree, const TreeLabels& labels, std::span<const std::int32_t> samples,
                 std::span<const double> mass, std::vector<double>& by_set) {
  double sum = 0;
  std::vector<std::int32_t> sets;
  for (const std::int32_t sample : samples) {
    const std::int32_t set = labels.set[static_cast<std::size_t>(sample)];
    double& own = by_set[static_cast<std::size_t>(set)];
    if (own == 0) sets.push_back(set);
    own += mass[static_cast<std::size_t>(sample)];
    sum += mass[static_cast<std::size_t>(sample)];
  }
  std::sort(sets.begin(), sets.end());
  for (const std::int32_t set : sets) {
    tree.leaf_set.push_back(set);
    tree.leaf_share.push_back(static_cast<float>(std::exchange(by_set[static_cast<std::size_t>(set)], 0) / sum));
  }
  tree.leaf_offsets.push_back(std::ssize(tree.leaf_set));
  tree.leaf_mass.push_back(sum);
}

class Grower {
 public:
  Grower(const TreeFeatures& features, const TreeLabels& labels, std::span<const std::int32_t> samples,
         std::span<const double> mass, const TreeOptions& options, RandomStream& random)
      : features_(features),
        labels_(labels),
        mass_(mass),
        options_(options),
        random_(random),
        samples_(samples.begin(), samples.end()),
        total_(labels.weight.size(), 0),
        side_(labels.weight.size(), 0),
        missing_(labels.weight.size(), 0),
        touched_(labels.weight.size() + 1),
        touched_missing_(labels.weight.size() + 1),
        by_set_(at(labels.sets.samples()), 0),
        gathered_(samples.size()),
        order_(at(features.features)) {
    std::iota(order_.begin(), order_.end(), FeatureIndex{0});
    if (is_sparse()) count_.assign(at(features.features), 0);
  }

  ClusteringTree grow() {
    struct Open {
      Index begin;
      Index end;
      std::int32_t parent;  // of a right child; -1: the parent is the node before
    };
    std::vector<Open> open{{0, std::ssize(samples_), -1}};
    while (!open.empty()) {
      const Open now = open.back();
      open.pop_back();
      const auto node = static_cast<std::int32_t>(tree_.nodes());
      if (now.parent >= 0) tree_.next[static_cast<std::size_t>(now.parent)] = node;
      const Split split = best_split(now.begin, now.end);
      tree_.feature.push_back(split.feature);
      tree_.threshold.push_back(split.threshold);
      tree_.missing_left.push_back(split.missing_left ? 1 : 0);
      tree_.next.push_back(static_cast<std::int32_t>(tree_.leaves()));
      if (split.feature < 0) {
        add_leaf(now.begin, now.end);
        continue;
      }
      const Index middle = divide(now.begin, now.end, split);
      open.push_back({middle, now.end, node});
      open.push_back({now.begin, middle, -1});
    }
    return std::move(tree_);
  }

 private:
  bool is_sparse() const { return !features_.offsets.empty(); }
  std::span<const std::int32_t> columns_of(std::int32_t sample) const {
    return labels_.sets.of(labels_.set[static_cast<std::size_t>(sample)]);
  }
  double mass_of(std::int32_t sample) const { return mass_[static_cast<std::size_t>(sample)]; }

  void add_leaf(Index begin, Index end) {
    append_leaf(tree_, labels_, std::span(samples_).subspan(at(begin), at(end - begin)), mass_, by_set_);
  }

  bool is_pure(Index begin, Index end) const {
    const std::int32_t first = labels_.set[static_cast<std::size_t>(samples_[at(begin)])];
    return std::all_of(samples_.begin() + begin, samples_.begin() + end,
                       [&](std::int32_t s) { return labels_.set[static_cast<std::size_t>(s)] == first; });
  }

  Split best_split(Index begin, Index end) {
    best_ = Split();
    if (end - begin < 2 * options_.min_leaf || is_pure(begin, end)) return best_;
    node_ = std::span(samples_).subspan(at(begin), at(end - begin));
    sum_node();
    if (is_sparse()) {
      try_sparse();
    } else {
      try_dense();
    }
    for (const std::int32_t c : present_) total_[static_cast<std::size_t>(c)] = 0;
    return best_;
  }

  // Sums of all columns over the node.
  void sum_node() {
    present_.clear();
    node_mass_ = 0;
    for (const std::int32_t sample : node_) {
      const double m = mass_of(sample);
      node_mass_ += m;
      for (const std::int32_t c : columns_of(sample)) {
        double& sum = total_[static_cast<std::size_t>(c)];
        if (sum == 0) present_.push_back(c);
        sum += m;
      }
    }
    squares_ = 0;
    for (const std::int32_t c : present_) {
      const double sum = total_[static_cast<std::size_t>(c)];
      squares_ += labels_.weight[static_cast<std::size_t>(c)] * sum * sum;
    }
  }

  Index tried_of(Index count) const {
    return std::max<Index>(1, static_cast<Index>(options_.feature_share * static_cast<double>(count) + 1e-9));
  }

  // Draws features without repeats until enough are tried, and one of them varies.
  void try_dense() {
    const Index count = features_.features;
    const Index enough = tried_of(count);
    bool has_varied = false;
    for (Index drawn = 0; drawn < count && (drawn < enough || !has_varied); ++drawn) {
      std::swap(order_[at(drawn)], order_[at(drawn + random_.below(count - drawn))]);
      const FeatureIndex feature = order_[at(drawn)];
      const double* const values = features_.dense.data() + feature * features_.samples;
      for (std::size_t k = 0; k < node_.size(); ++k) gathered_[k] = values[node_[k]];
      has_varied |= try_feature(feature, {{}, std::span(gathered_).first(node_.size()), 0});
    }
  }

  // Only features that are not 0 everywhere in the node are drawn: their values are brought together first.
  void try_sparse() {
    found_.clear();
    for (const std::int32_t sample : node_) {
      for (Index k = features_.offsets[at(sample)]; k < features_.offsets[at(sample) + 1]; ++k) {
        const FeatureIndex feature = features_.columns[at(k)];
        if (count_[static_cast<std::size_t>(feature)]++ == 0) found_.push_back(feature);
      }
    }
    std::sort(found_.begin(), found_.end());
    Index sum = 0;
    for (const FeatureIndex feature : found_) {
      sum += std::exchange(count_[static_cast<std::size_t>(feature)], sum);
    }
    places_.resize(at(sum));
    values_.resize(at(sum));
    for (std::size_t place = 0; place < node_.size(); ++place) {
      for (Index k = features_.offsets[at(node_[place])]; k < features_.offsets[at(node_[place]) + 1]; ++k) {
        Index& to = count_[static_cast<std::size_t>(features_.columns[at(k)])];
        places_[at(to)] = static_cast<std::int32_t>(place);
        values_[at(to++)] = features_.values[at(k)];
      }
    }
    // count_ is now where the values of a feature end.
    starts_.assign(1, 0);
    for (const FeatureIndex feature : found_) {
      starts_.push_back(std::exchange(count_[static_cast<std::size_t>(feature)], 0));
    }
    const auto count = std::ssize(found_);
    const Index enough = tried_of(count);
    std::vector<std::int32_t> order(at(count));
    std::iota(order.begin(), order.end(), 0);
    bool has_varied = false;
    for (Index drawn = 0; drawn < count && (drawn < enough || !has_varied); ++drawn) {
      std::swap(order[at(drawn)], order[at(drawn + random_.below(count - drawn))]);
      const auto f = static_cast<std::size_t>(order[at(drawn)]);
      const auto from = at(starts_[f]);
      const auto size = at(starts_[f + 1]) - from;
      has_varied |= try_feature(found_[f], {std::span(places_).subspan(from, size),
                                            std::span(values_).subspan(from, size),
                                            std::ssize(node_) - static_cast<Index>(size)});
    }
  }

  // False if the feature does not vary.
  bool try_feature(FeatureIndex feature, const NodeColumn& column) {
    double low = column.zeros > 0 ? 0 : std::numeric_limits<double>::infinity();
    double high = column.zeros > 0 ? 0 : -std::numeric_limits<double>::infinity();
    for (const double value : column.values) {  // comparisons with NaN are false
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    if (!(low < high)) return false;
    sum_missing(column);
    if (options_.has_random_thresholds) {
      // Not low + u (high - low): the difference may be too large for a double.
      const double u = random_.uniform();
      double threshold = (1 - u) * low + u * high;
      if (!(threshold < high)) threshold = low;
      try_threshold(feature, column, threshold);
    } else {
      try_all_thresholds(feature, column);
    }
    for (std::size_t k = 0; k < missing_columns_; ++k) {
      missing_[static_cast<std::size_t>(touched_missing_[k])] = 0;
    }
    return true;
  }

  // Adds the columns of a sample to sums that are 0 at first; returns how many are touched. Without a branch: `touched`
  // has room for one more.
  std::size_t add_columns(std::span<const std::int32_t> columns, double m, std::vector<double>& sums,
                          std::vector<std::int32_t>& touched, std::size_t count) const {
    for (const std::int32_t c : columns) {
      double& sum = sums[static_cast<std::size_t>(c)];
      touched[count] = c;
      count += sum == 0 ? 1 : 0;
      sum += m;
    }
    return count;
  }

  void sum_missing(const NodeColumn& column) {
    missing_columns_ = 0;
    missing_count_ = 0;
    missing_mass_ = 0;
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      if (!std::isnan(column.values[k])) continue;
      const std::int32_t sample = node_[static_cast<std::size_t>(column.place(k))];
      ++missing_count_;
      missing_mass_ += mass_of(sample);
      missing_columns_ =
          add_columns(columns_of(sample), mass_of(sample), missing_, touched_missing_, missing_columns_);
    }
  }

  // Sums only one side of the threshold: that without the zeros, or the smaller one.
  void try_threshold(FeatureIndex feature, const NodeColumn& column, double threshold) {
    Index left = 0;
    for (const double value : column.values) left += value <= threshold ? 1 : 0;
    const Index right = std::ssize(column.values) - missing_count_ - left;
    const bool lists_left = column.zeros > 0 ? threshold < 0 : left <= right;
    const Index listed = lists_left ? left : right;
    if (listed + missing_count_ < options_.min_leaf) return;
    const double mass = sum_side(column, threshold, lists_left, listed);
    const Index others = std::ssize(node_) - listed - missing_count_;
    const auto offer = [&](bool missing_listed) {
      const Index here = listed + (missing_listed ? missing_count_ : 0);
      const Index there = others + (missing_listed ? 0 : missing_count_);
      if (here < options_.min_leaf || there < options_.min_leaf) return;
      const double score = score_side(mass, missing_listed);
      // Without missing values here, new ones go with most samples.
      const bool missing_left = missing_count_ > 0 ? missing_listed == lists_left : (here > there) == lists_left;
      if (score > best_.score) best_ = {score, feature, threshold, missing_left};
    };
    offer(false);
    if (missing_count_ > 0) offer(true);
    for (std::size_t k = 0; k < side_columns_; ++k) side_[static_cast<std::size_t>(touched_[k])] = 0;
  }

  // The sums of all columns over the samples on one side; returns their mass.
  double sum_side(const NodeColumn& column, double threshold, bool lists_left, Index listed) {
    side_columns_ = 0;
    double mass = 0;
    const auto for_each = [&](const auto& visit) {
      for (std::size_t k = 0; k < column.values.size(); ++k) {
        const double value = column.values[k];
        if (lists_left ? value <= threshold : value > threshold) {
          visit(node_[static_cast<std::size_t>(column.place(k))]);
        }
      }
    };
    constexpr Index kSamplesPerSet = 2;
    if (listed < kSamplesPerSet * labels_.sets.samples()) {
      for_each([&](std::int32_t sample) {
        const double m = mass_of(sample);
        mass += m;
        side_columns_ = add_columns(columns_of(sample), m, side_, touched_, side_columns_);
      });
      return mass;
    }
    // Many samples have the same labels.
    for_each([&](std::int32_t sample) {
      by_set_[static_cast<std::size_t>(labels_.set[static_cast<std::size_t>(sample)])] += mass_of(sample);
    });
    for (std::size_t set = 0; set < by_set_.size(); ++set) {
      const double m = std::exchange(by_set_[set], 0);
      if (m == 0) continue;
      mass += m;
      side_columns_ = add_columns(labels_.sets.of(static_cast<Index>(set)), m, side_, touched_, side_columns_);
    }
    return mass;
  }

  // The sum of squares of a split, from the sums of one side, with or without the missing values: columns that this
  // side does not have add what they add in the whole node.
  double score_side(double mass, bool has_missing) const {
    const double here = mass + (has_missing ? missing_mass_ : 0);
    const double there = node_mass_ - here;
    double inside = 0;
    double outside = squares_;
    const auto add = [&](std::size_t c, double sum) {
      inside += labels_.weight[c] * sum * sum;
      outside += labels_.weight[c] * sum * (sum - 2 * total_[c]);
    };
    for (std::size_t k = 0; k < side_columns_; ++k) {
      const auto c = static_cast<std::size_t>(touched_[k]);
      add(c, side_[c] + (has_missing ? missing_[c] : 0));
    }
    for (std::size_t k = 0; has_missing && k < missing_columns_; ++k) {
      const auto c = static_cast<std::size_t>(touched_missing_[k]);
      if (side_[c] == 0) add(c, missing_[c]);
    }
    return inside / here + outside / there;
  }

  // Moves samples from right to left in the order of their values. Sums of squares follow every sample.
  void try_all_thresholds(FeatureIndex feature, const NodeColumn& column) {
    sorted_.clear();
    if (column.zeros > 0) is_stored_.assign(node_.size(), 0);
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      if (column.zeros > 0) is_stored_[static_cast<std::size_t>(column.place(k))] = 1;
      if (!std::isnan(column.values[k])) {
        sorted_.emplace_back(column.values[k], node_[static_cast<std::size_t>(column.place(k))]);
      }
    }
    for (std::size_t place = 0; column.zeros > 0 && place < node_.size(); ++place) {
      if (is_stored_[place] == 0) sorted_.emplace_back(0.0, node_[place]);
    }
    std::sort(sorted_.begin(), sorted_.end());
    sweep(feature, false);
    if (missing_count_ > 0) sweep(feature, true);
  }

  void sweep(FeatureIndex feature, bool missing_left) {
    const auto count = std::ssize(sorted_);
    double left_mass = missing_left ? missing_mass_ : 0;
    double left_squares = 0;
    double right_squares = squares_;
    if (missing_left) {
      for (std::size_t k = 0; k < missing_columns_; ++k) {
        const auto c = static_cast<std::size_t>(touched_missing_[k]);
        left_squares += labels_.weight[c] * missing_[c] * missing_[c];
        right_squares += labels_.weight[c] * missing_[c] * (missing_[c] - 2 * total_[c]);
      }
    }
    for (Index k = 0; k + 1 < count; ++k) {
      const auto [value, sample] = sorted_[at(k)];
      const double m = mass_of(sample);
      left_mass += m;
      for (const std::int32_t column : columns_of(sample)) {
        const auto c = static_cast<std::size_t>(column);
        const double sum = side_[c] + (missing_left ? missing_[c] : 0);
        left_squares += labels_.weight[c] * m * (2 * sum + m);
        right_squares -= labels_.weight[c] * m * (2 * (total_[c] - sum) - m);
        side_[c] += m;
      }
      const double next = sorted_[at(k + 1)].first;
      if (!(value < next)) continue;
      const Index left = k + 1 + (missing_left ? missing_count_ : 0);
      const Index right = std::ssize(node_) - left;
      if (left < options_.min_leaf || right < options_.min_leaf) continue;
      const double score = left_squares / left_mass + right_squares / (node_mass_ - left_mass);
      if (score <= best_.score) continue;
      double middle = value / 2 + next / 2;
      if (!(middle < next)) middle = value;
      best_ = {score, feature, middle, missing_count_ > 0 ? missing_left : left > right};
    }
    for (const auto& [value, sample] : sorted_) {
      for (const std::int32_t c : columns_of(sample)) side_[static_cast<std::size_t>(c)] = 0;
    }
  }

  double value_of(std::int32_t sample, FeatureIndex feature) const {
    if (!is_sparse()) return features_.dense[at(feature * features_.samples + sample)];
    const auto from = features_.columns.begin() + features_.offsets[at(sample)];
    const auto to = features_.columns.begin() + features_.offsets[at(sample) + 1];
    const auto found = std::lower_bound(from, to, feature);
    return found == to || *found != feature ? 0 : features_.values[at(found - features_.columns.begin())];
  }

  // Keeps the order of the samples on each side, so that memory is read forward.
  Index divide(Index begin, Index end, const Split& split) {
    const auto middle = std::stable_partition(samples_.begin() + begin, samples_.begin() + end, [&](std::int32_t s) {
      const double value = value_of(s, split.feature);
      return std::isnan(value) ? split.missing_left : value <= split.threshold;
    });
    const Index place = middle - samples_.begin();
    CLADE_CHECK(place > begin && place < end);
    return place;
  }

  const TreeFeatures& features_;
  const TreeLabels& labels_;
  std::span<const double> mass_;
  const TreeOptions& options_;
  RandomStream& random_;
  std::vector<std::int32_t> samples_;  // those of a node lie together
  ClusteringTree tree_;

  // Of the current node.
  std::span<const std::int32_t> node_;
  std::vector<double> total_;  // per column
  std::vector<std::int32_t> present_;
  double node_mass_ = 0;
  double squares_ = 0;
  Split best_;

  // Of the current candidate; sums are 0 between candidates.
  std::vector<double> side_;
  std::vector<double> missing_;
  std::vector<std::int32_t> touched_;
  std::vector<std::int32_t> touched_missing_;
  std::size_t side_columns_ = 0;
  std::size_t missing_columns_ = 0;
  Index missing_count_ = 0;
  double missing_mass_ = 0;
  std::vector<double> by_set_;
  std::vector<double> gathered_;
  std::vector<std::pair<double, std::int32_t>> sorted_;
  std::vector<char> is_stored_;

  std::vector<FeatureIndex> order_;
  std::vector<Index> count_;
  std::vector<FeatureIndex> found_;
  std::vector<Index> starts_;
  std::vector<std::int32_t> places_;
  std::vector<double> values_;
};

}  // namespace

ClusteringTree grow_tree(const TreeFeatures& features, const TreeLabels& labels, std::span<const std::int32_t> samples,
                         std::span<const double> mass, const TreeOptions& options, RandomStream& random) {
  CLADE_CHECK(!samples.empty());
  return Grower(features, labels, samples, mass, options, random).grow();
}

void refill_leaves(ClusteringTree& tree, const TreeLabels& labels, std::span<const std::int32_t> leaf,
                   std::span<const double> mass) {
  std::vector<std::vector<std::int32_t>> samples(at(tree.leaves()));
  for (std::size_t s = 0; s < leaf.size(); ++s) {
    if (mass[s] > 0) samples[static_cast<std::size_t>(leaf[s])].push_back(static_cast<std::int32_t>(s));
  }
  tree.leaf_offsets.assign(1, 0);
  tree.leaf_set.clear();
  tree.leaf_share.clear();
  tree.leaf_mass.clear();
  std::vector<double> by_set(at(labels.sets.samples()), 0);
  for (const std::vector<std::int32_t>& own : samples) {
    CLADE_CHECK(!own.empty());
    append_leaf(tree, labels, own, mass, by_set);
  }
}

}  // namespace clade
