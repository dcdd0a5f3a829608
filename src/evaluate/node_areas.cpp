#include "evaluate/node_areas.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "core/check.h"
#include "core/parallel.h"
#include "math/pooled_ranking.h"

namespace clade {
namespace {

constexpr Index kPlacedPerTask = 32;  // samples

// Calls visit(node) once for every node at or above one of the labels; `seen` has the last mark of every node.
template <class Visit>
void for_each_above(const Taxonomy& taxonomy, std::span<const NodeId> labels, std::vector<Index>& seen, Index mark,
                    const Visit& visit) {
  const auto enter = [&](NodeId node) {
    Index& last = seen[static_cast<std::size_t>(node)];
    if (last == mark) return;
    last = mark;
    visit(node);
  };
  for (const NodeId label : labels) {
    if (seen[static_cast<std::size_t>(label)] == mark) continue;  // and so is all above it
    enter(label);
    for (const NodeId node : taxonomy.ancestors(label)) enter(node);
  }
}

void keep_different(std::vector<double>& values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The place of a score among descending thresholds.
std::uint32_t place_of(double score, const double* thresholds, std::size_t size) {
  const std::size_t before = count_larger(score, {thresholds, size});
  return static_cast<std::uint32_t>(2 * before + (before < size && thresholds[before] == score ? 1 : 0));
}

// Areas under one curve from counts by place.
struct CurveAreas {
  double step = 0;
  double clus = 0;
  double positives = 0;
};

CurveAreas areas_under(std::span<const std::uint64_t> positive, std::span<const std::uint64_t> negative) {
  CurveAreas result;
  double true_before = 0;
  double false_before = 0;
  const std::size_t thresholds = positive.size() / 2;
  for (std::size_t j = 0; j < thresholds; ++j) {
    false_before += static_cast<double>(negative[2 * j]);
    const auto found = static_cast<double>(positive[2 * j + 1]);
    const auto wrong = static_cast<double>(negative[2 * j + 1]);
    if (found == 0) {
      false_before += wrong;
      continue;
    }
    const double precision = (true_before + found) / (true_before + found + false_before + wrong);
    result.step += found * precision;
    if (true_before + false_before == 0) {
      result.clus += found * precision;  // the first precision holds from recall 0 on
    } else {
      double last = true_before / (true_before + false_before);
      for (std::uint64_t step = 1; step <= positive[2 * j + 1]; ++step) {
        const auto k = static_cast<double>(step);
        const double next = (true_before + k) / (true_before + k + false_before + wrong / found * k);
        result.clus += (last + next) / 2;
        last = next;
      }
    }
    true_before += found;
    false_before += wrong;
  }
  result.positives = true_before;
  if (true_before == 0) return result;
  result.step /= true_before;
  result.clus /= true_before;
  return result;
}

}  // namespace

NodeCurves::NodeCurves(const Dataset& data, std::span<const Index> samples, const NodeScoreRows& scores,
                       std::span<const NodeId> left_out, Context& ctx) {
  const NodeId size = data.taxonomy().size();
  column_.assign(static_cast<std::size_t>(size), -1);
  for (NodeId node = 0; node < size; ++node) {
    if (std::ranges::find(left_out, node) != left_out.end()) continue;
    column_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(node);
  }
  find_positives(data, samples, scores);
  place_pairs(samples, scores, ctx);
}

void NodeCurves::find_positives(const Dataset& data, std::span<const Index> samples, const NodeScoreRows& scores) {
  std::vector<Index> seen(column_.size(), -1);
  std::vector<std::vector<double>> of_node(nodes_.size());
  for (const Index s : samples) {
    for_each_above(data.taxonomy(), data.labels(s), seen, s, [&](NodeId node) {
      const std::int32_t column = column_[static_cast<std::size_t>(node)];
      if (column < 0) return;
      positives_.push_back(column);
      of_node[static_cast<std::size_t>(column)].push_back(scores.of(s, node));
      thresholds_.push_back(scores.of(s, node));
    });
    std::sort(positives_.begin() + static_cast<std::ptrdiff_t>(offsets_.back()), positives_.end());
    offsets_.push_back(positives_.size());
  }
  keep_different(thresholds_);
  for (std::vector<double>& values : of_node) {
    keep_different(values);
    node_begin_.push_back(node_thresholds_.size());
    node_thresholds_.insert(node_thresholds_.end(), values.begin(), values.end());
  }
  node_begin_.push_back(node_thresholds_.size());
  CLADE_CHECK(2 * node_thresholds_.size() + nodes_.size() < std::numeric_limits<std::uint32_t>::max());
}

void NodeCurves::place_pairs(std::span<const Index> samples, const NodeScoreRows& scores, Context& ctx) {
  place_.resize(samples.size() * nodes_.size());
  node_place_.resize(place_.size());
  parallel_for(ctx, std::ssize(samples), kPlacedPerTask, [&](Index begin, Index end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      for (std::size_t c = 0; c < nodes_.size(); ++c) {
        const double score = scores.of(samples[k], nodes_[c]);
        const std::size_t own = node_begin_[c];
        place_[k * nodes_.size() + c] = place_of(score, thresholds_.data(), thresholds_.size());
        node_place_[k * nodes_.size() + c] = static_cast<std::uint32_t>(2 * own + c) +
                                             place_of(score, node_thresholds_.data() + own, node_begin_[c + 1] - own);
      }
    }
  });
}

void NodeCurves::count(std::span<const std::uint32_t> weights, Counts& pooled, Counts& by_node) const {
  const auto clear = [](Counts& counts, std::size_t size) {
    counts.positive.assign(size, 0);
    counts.negative.assign(size, 0);
  };
  clear(pooled, 2 * thresholds_.size() + 1);
  clear(by_node, 2 * node_thresholds_.size() + nodes_.size());
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    const std::uint64_t weight = weights.empty() ? 1 : weights[k];
    if (weight == 0) continue;
    const std::uint32_t* const place = place_.data() + k * nodes_.size();
    const std::uint32_t* const node_place = node_place_.data() + k * nodes_.size();
    for (std::size_t c = 0; c < nodes_.size(); ++c) {
      pooled.negative[place[c]] += weight;
      by_node.negative[node_place[c]] += weight;
    }
    for (std::size_t e = offsets_[k]; e < offsets_[k + 1]; ++e) {
      const auto c = static_cast<std::size_t>(positives_[e]);
      pooled.negative[place[c]] -= weight;
      pooled.positive[place[c]] += weight;
      by_node.negative[node_place[c]] -= weight;
      by_node.positive[node_place[c]] += weight;
    }
  }
}

NodeAreas NodeCurves::areas(std::span<const std::uint32_t> weights) const {
  Counts pooled;
  Counts by_node;
  count(weights, pooled, by_node);
  const CurveAreas all = areas_under(pooled.positive, pooled.negative);
  NodeAreas result{.pooled = all.step, .clus = all.clus};
  double nodes = 0;
  for (std::size_t c = 0; c < nodes_.size(); ++c) {
    const std::size_t begin = 2 * node_begin_[c] + c;
    const std::size_t size = 2 * node_begin_[c + 1] + c + 1 - begin;
    const CurveAreas own =
        areas_under(std::span(by_node.positive).subspan(begin, size), std::span(by_node.negative).subspan(begin, size));
    if (own.positives == 0) continue;
    ++nodes;
    result.macro += own.step;
    result.weighted += own.positives * own.step;
  }
  if (nodes == 0) return result;
  result.macro /= nodes;
  result.weighted /= all.positives;
  return result;
}

std::vector<CurvePoint> NodeCurves::curve(Index points) const {
  Counts pooled;
  Counts by_node;
  count({}, pooled, by_node);
  const auto all = static_cast<double>(positives_.size());
  std::vector<CurvePoint> curve;
  double found = 0;
  double wrong = 0;
  for (std::size_t j = 0; j < thresholds_.size(); ++j) {
    found += static_cast<double>(pooled.positive[2 * j + 1]);
    wrong += static_cast<double>(pooled.negative[2 * j] + pooled.negative[2 * j + 1]);
    const CurvePoint point{thresholds_[j], found / all, found / (found + wrong)};
    const auto part = [&](double recall) {
      return static_cast<Index>(recall * static_cast<double>(std::max<Index>(points - 2, 1)));
    };
    const bool is_new = curve.empty() || part(point.recall) > part(curve.back().recall);
    if (is_new || j + 1 == thresholds_.size()) curve.push_back(point);
  }
  return curve;
}

std::vector<NodeId> nodes_left_out(const Taxonomy& taxonomy, const std::string& names) {
  std::vector<NodeId> nodes{taxonomy.root()};
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const auto node = taxonomy.find(name);
    if (!node) {
      throw usage_error(fmt::format("`exclude-nodes`: no node '{}' in the hierarchy", name),
                        "expected names of nodes, separated by commas");
    }
    nodes.push_back(*node);
    begin = end + 1;
  }
  return nodes;
}

std::vector<double> node_frequencies(const Dataset& data) {
  std::vector<double> counts(static_cast<std::size_t>(data.taxonomy().size()), 0);
  std::vector<Index> seen(counts.size(), -1);
  double samples = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).empty()) continue;
    ++samples;
    for_each_above(data.taxonomy(), data.labels(s), seen, s,
                   [&](NodeId node) { counts[static_cast<std::size_t>(node)] += 1; });
  }
  for (double& count : counts) count /= std::max(samples, 1.0);
  return counts;
}

}  // namespace clade
