#include "math/clustering_tree.h"

#include <algorithm>
#include <array>
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
    const double own = mass[static_cast<std::size_t>(sample)];
    if (own == 0) continue;
    const std::int32_t set = labels.set[static_cast<std::size_t>(sample)];
    double& of_set = by_set[static_cast<std::size_t>(set)];
    if (of_set == 0) sets.push_back(set);
    of_set += own;
    sum += own;
  }
  std::sort(sets.begin(), sets.end());
  for (const std::int32_t set : sets) {
    tree.leaf_set.push_back(set);
    tree.leaf_share.push_back(static_cast<float>(std::exchange(by_set[static_cast<std::size_t>(set)], 0) / sum));
  }
  tree.leaf_offsets.push_back(std::ssize(tree.leaf_set));
  tree.leaf_mass.push_back(sum);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  Index missing = 0;

  void add(double value) {  // comparisons with NaN are false
    low = value < low ? value : low;
    high = value > high ? value : high;
    missing += value != value ? 1 : 0;
  }
};

constexpr Index kBatch = 16;  // features whose values are brought together at once

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
        columns_(labels.weight.size()),
        members_(mass.size()),
        touched_(labels.weight.size() + 1),
        touched_missing_(labels.weight.size() + 1),
        by_set_(at(labels.sets.samples()), 0),
        gathered_(is_sparse() ? 0 : samples.size() * at(std::min(kBatch, features.features))),
        left_(samples.size() + 1),
        right_(samples.size() + 1),
        order_(at(features.features)) {
    std::iota(order_.begin(), order_.end(), FeatureIndex{0});
    if (is_sparse()) count_.assign(at(features.features), 0);
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].weight = labels.weight[c];
    for (const std::int32_t sample : samples) {
      const auto s = static_cast<std::size_t>(sample);
      members_[s] = {labels.sets.of(labels.set[s]), mass[s], 0};
    }
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
  // Of one column: its sums over the node, over one side of a candidate, and over the missing values of its feature.
  struct Column {
    double weight = 0;
    double total = 0;
    double side = 0;
    double missing = 0;
  };
  struct Member {
    std::span<const std::int32_t> columns;
    double mass = 0;
    double product = 0;  // sum over its columns of weight x total
  };

  bool is_sparse() const { return !features_.offsets.empty(); }
  Column& column_at(std::int32_t c) { return columns_[static_cast<std::size_t>(c)]; }
  const Column& column_at(std::int32_t c) const { return columns_[static_cast<std::size_t>(c)]; }
  const Member& member(std::int32_t sample) const { return members_[static_cast<std::size_t>(sample)]; }

  void add_leaf(Index begin, Index end) {
    append_leaf(tree_, labels_, std::span(samples_).subspan(at(begin), at(end - begin)), mass_, by_set_);
  }

  // Have all samples that count the same labels?
  bool is_pure(Index begin, Index end) const {
    std::int32_t first = -1;
    for (Index k = begin; k < end; ++k) {
      const std::int32_t sample = samples_[at(k)];
      if (member(sample).mass == 0) continue;
      const std::int32_t set = labels_.set[static_cast<std::size_t>(sample)];
      if (first >= 0 && set != first) return false;
      first = set;
    }
    return true;
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
    for (const std::int32_t c : present_) column_at(c).total = 0;
    return best_;
  }

  // Sums of all columns over the node.
  void sum_node() {
    present_.clear();
    node_mass_ = 0;
    node_counting_ = 0;
    for (const std::int32_t sample : node_) {
      const Member& own = member(sample);
      if (own.mass == 0) continue;
      ++node_counting_;
      node_mass_ += own.mass;
      for (const std::int32_t c : own.columns) {
        double& sum = column_at(c).total;
        if (sum == 0) present_.push_back(c);
        sum += own.mass;
      }
    }
    squares_ = 0;
    for (const std::int32_t c : present_) squares_ += column_at(c).weight * column_at(c).total * column_at(c).total;
    for (const std::int32_t sample : node_) {
      if (member(sample).mass == 0) continue;
      double product = 0;
      for (const std::int32_t c : member(sample).columns) product += column_at(c).weight * column_at(c).total;
      members_[static_cast<std::size_t>(sample)].product = product;
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
    for (Index drawn = 0; drawn < count && (drawn < enough || !has_varied);) {
      const Index batch = std::clamp<Index>(enough - drawn, 1, kBatch);
      for (Index k = drawn; k < drawn + batch; ++k) {
        std::swap(order_[at(k)], order_[at(k + random_.below(count - k))]);
      }
      const auto features = std::span<const FeatureIndex>(order_).subspan(at(drawn), at(batch));
      gather(features);
      for (std::size_t k = 0; k < features.size(); ++k) {
        const auto values = std::span<const double>(gathered_).subspan(k * node_.size(), node_.size());
        has_varied |= try_feature(features[k], {{}, values, 0}, ranges_[k]);
      }
      drawn += batch;
    }
  }

  // Brings the values of some features together, one feature after the other: every row is read once.
  void gather(std::span<const FeatureIndex> features) {
    ranges_.fill(Range());
    for (std::size_t place = 0; place < node_.size(); ++place) {
      const double* const row = features_.dense.data() + node_[place] * features_.features;
      for (std::size_t k = 0; k < features.size(); ++k) {
        const double value = row[features[k]];
        gathered_[k * node_.size() + place] = value;
        ranges_[k].add(value);
      }
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
      const NodeColumn column{std::span(places_).subspan(from, size), std::span(values_).subspan(from, size),
                              std::ssize(node_) - static_cast<Index>(size)};
      Range range;
      if (column.zeros > 0) range.add(0);
      for (const double value : column.values) range.add(value);
      has_varied |= try_feature(found_[f], column, range);
    }
  }

  // False if the feature does not vary.
  bool try_feature(FeatureIndex feature, const NodeColumn& column, const Range& range) {
    const auto [low, high, missing] = range;
    if (!(low < high)) return false;
    missing_count_ = missing;
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
    for (std::size_t k = 0; k < missing_columns_; ++k) column_at(touched_missing_[k]).missing = 0;
    return true;
  }

  // Adds a mass to sums that are 0 at first; returns how many are touched. Without a branch: `touched` has room for one
  // more.
  std::size_t add_to(double Column::* sums, std::span<const std::int32_t> columns, double mass,
                     std::vector<std::int32_t>& touched, std::size_t count) {
    for (const std::int32_t c : columns) {
      double& sum = column_at(c).*sums;
      touched[count] = c;
      count += sum == 0 ? 1 : 0;
      sum += mass;
    }
    return count;
  }

  void sum_missing(const NodeColumn& column) {
    missing_columns_ = 0;
    missing_counting_ = 0;
    missing_mass_ = 0;
    missing_product_ = 0;
    if (missing_count_ == 0) return;
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      if (!std::isnan(column.values[k])) continue;
      const std::int32_t sample = node_[static_cast<std::size_t>(column.place(k))];
      if (member(sample).mass == 0) continue;
      ++missing_counting_;
      const Member& own = member(sample);
      missing_mass_ += own.mass;
      missing_product_ += own.mass * own.product;
      missing_columns_ = add_to(&Column::missing, own.columns, own.mass, touched_missing_, missing_columns_);
    }
  }

  // Sums only one side of the threshold: that without the zeros, or the smaller one.
  void try_threshold(FeatureIndex feature, const NodeColumn& column, double threshold) {
    std::size_t left = 0;
    std::size_t right = 0;
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      const double value = column.values[k];
      const std::int32_t sample = node_[static_cast<std::size_t>(column.place(k))];
      left_[left] = sample;
      left += value <= threshold ? 1 : 0;
      right_[right] = sample;
      right += value > threshold ? 1 : 0;
    }
    const bool lists_left = column.zeros > 0 ? threshold < 0 : left <= right;
    const auto listed = static_cast<Index>(lists_left ? left : right);
    if (listed + missing_count_ < options_.min_leaf) return;
    const double mass = sum_side(std::span<const std::int32_t>(lists_left ? left_ : right_).first(at(listed)));
    const Index others = std::ssize(node_) - listed - missing_count_;
    const auto offer = [&](bool missing_listed) {
      const Index here = listed + (missing_listed ? missing_count_ : 0);
      const Index there = others + (missing_listed ? 0 : missing_count_);
      const Index counting = side_counting_ + (missing_listed ? missing_counting_ : 0);
      if (here < options_.min_leaf || there < options_.min_leaf || counting == 0 || counting == node_counting_) return;
      const double score = score_side(mass, missing_listed);
      // Without missing values here, new ones go with most samples.
      const bool missing_left = missing_count_ > 0 ? missing_listed == lists_left : (here > there) == lists_left;
      if (score > best_.score) best_ = {score, feature, threshold, missing_left};
    };
    offer(false);
    if (missing_count_ > 0) offer(true);
    for (std::size_t k = 0; k < side_columns_; ++k) column_at(touched_[k]).side = 0;
  }

  // The sums of all columns over some samples; returns their mass.
  double sum_side(std::span<const std::int32_t> listed) {
    side_columns_ = 0;
    side_counting_ = 0;
    side_product_ = 0;
    double mass = 0;
    constexpr Index kSamplesPerSet = 2;
    if (std::ssize(listed) < kSamplesPerSet * labels_.sets.samples()) {
      for (const std::int32_t sample : listed) {
        const Member& own = member(sample);
        if (own.mass == 0) continue;
        ++side_counting_;
        mass += own.mass;
        side_product_ += own.mass * own.product;
        side_columns_ = add_to(&Column::side, own.columns, own.mass, touched_, side_columns_);
      }
      return mass;
    }
    // Many samples have the same labels.
    for (const std::int32_t sample : listed) {
      const Member& own = member(sample);
      side_counting_ += own.mass > 0 ? 1 : 0;
      side_product_ += own.mass * own.product;
      by_set_[static_cast<std::size_t>(labels_.set[static_cast<std::size_t>(sample)])] += own.mass;
    }
    for (std::size_t set = 0; set < by_set_.size(); ++set) {
      const double m = std::exchange(by_set_[set], 0);
      if (m == 0) continue;
      mass += m;
      side_columns_ = add_to(&Column::side, labels_.sets.of(static_cast<Index>(set)), m, touched_, side_columns_);
    }
    return mass;
  }

  // The sum of squares of a split, from the sums S of one side, with or without the missing values. With the totals T,
  // the other side has sum_v weight[v] (T[v] - S[v])^2 = sum weight T^2 - 2 sum weight T S + sum weight S^2, where the
  // middle part is a sum over samples: only the columns of this side need to be visited.
  double score_side(double mass, bool has_missing) const {
    const double here = mass + (has_missing ? missing_mass_ : 0);
    const double product = side_product_ + (has_missing ? missing_product_ : 0);
    double inside = 0;
    for (std::size_t k = 0; k < side_columns_; ++k) {
      const Column& column = column_at(touched_[k]);
      const double sum = column.side + (has_missing ? column.missing : 0);
      inside += column.weight * sum * sum;
    }
    for (std::size_t k = 0; has_missing && k < missing_columns_; ++k) {
      const Column& column = column_at(touched_missing_[k]);
      if (column.side == 0) inside += column.weight * column.missing * column.missing;
    }
    return inside / here + (squares_ - 2 * product + inside) / (node_mass_ - here);
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
    Index counting = missing_left ? missing_counting_ : 0;
    double left_mass = missing_left ? missing_mass_ : 0;
    double product = missing_left ? missing_product_ : 0;
    double left_squares = 0;
    for (std::size_t k = 0; missing_left && k < missing_columns_; ++k) {
      const Column& column = column_at(touched_missing_[k]);
      left_squares += column.weight * column.missing * column.missing;
    }
    for (Index k = 0; k + 1 < count; ++k) {
      const auto [value, sample] = sorted_[at(k)];
      const Member& own = member(sample);
      counting += own.mass > 0 ? 1 : 0;
      left_mass += own.mass;
      product += own.mass * own.product;
      for (const std::int32_t c : own.columns) {
        Column& column = column_at(c);
        const double sum = column.side + (missing_left ? column.missing : 0);
        left_squares += column.weight * own.mass * (2 * sum + own.mass);
        column.side += own.mass;
      }
      const double next = sorted_[at(k + 1)].first;
      if (!(value < next)) continue;
      const Index left = k + 1 + (missing_left ? missing_count_ : 0);
      const Index right = std::ssize(node_) - left;
      if (left < options_.min_leaf || right < options_.min_leaf) continue;
      if (counting == 0 || counting == node_counting_) continue;
      const double right_squares = squares_ - 2 * product + left_squares;
      const double score = left_squares / left_mass + right_squares / (node_mass_ - left_mass);
      if (score <= best_.score) continue;
      double middle = value / 2 + next / 2;
      if (!(middle < next)) middle = value;
      best_ = {score, feature, middle, missing_count_ > 0 ? missing_left : left > right};
    }
    for (const auto& [value, sample] : sorted_) {
      for (const std::int32_t c : member(sample).columns) column_at(c).side = 0;
    }
  }

  double value_of(std::int32_t sample, FeatureIndex feature) const {
    if (!is_sparse()) return features_.dense[at(sample * features_.features + feature)];
    const auto from = features_.columns.begin() + features_.offsets[at(sample)];
    const auto to = features_.columns.begin() + features_.offsets[at(sample) + 1];
    const auto found = std::lower_bound(from, to, feature);
    return found == to || *found != feature ? 0 : features_.values[at(found - features_.columns.begin())];
  }

  // Keeps the order of the samples on each side, so that memory is read forward.
  Index divide(Index begin, Index end, const Split& split) {
    moved_.clear();
    Index place = begin;
    for (Index k = begin; k < end; ++k) {
      const std::int32_t sample = samples_[at(k)];
      const double value = value_of(sample, split.feature);
      const bool goes_left = std::isnan(value) ? split.missing_left : value <= split.threshold;
      if (goes_left) {
        samples_[at(place++)] = sample;
      } else {
        moved_.push_back(sample);
      }
    }
    std::ranges::copy(moved_, samples_.begin() + place);
    CLADE_CHECK(place > begin && place < end);
    return place;
  }

  const TreeFeatures& features_;
  const TreeLabels& labels_;
  std::span<const double> mass_;
  const TreeOptions& options_;
  RandomStream& random_;
  std::vector<std::int32_t> samples_;  // those of a node lie together
  std::vector<std::int32_t> moved_;    // scratch
  ClusteringTree tree_;

  // Of the current node.
  std::span<const std::int32_t> node_;
  std::vector<Column> columns_;
  std::vector<Member> members_;  // per sample of the data
  std::vector<std::int32_t> present_;
  Index node_counting_ = 0;  // samples with a mass
  double node_mass_ = 0;
  double squares_ = 0;
  Split best_;

  // Of the current candidate; sums of columns are 0 between candidates.
  std::vector<std::int32_t> touched_;
  std::vector<std::int32_t> touched_missing_;
  std::size_t side_columns_ = 0;
  std::size_t missing_columns_ = 0;
  Index side_counting_ = 0;
  double side_product_ = 0;
  Index missing_count_ = 0;
  Index missing_counting_ = 0;
  double missing_mass_ = 0;
  double missing_product_ = 0;
  std::vector<double> by_set_;
  std::vector<double> gathered_;
  std::array<Range, static_cast<std::size_t>(kBatch)> ranges_;
  std::vector<std::int32_t> left_;  // room for one more than there can be
  std::vector<std::int32_t> right_;
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
