#include "report/page/marking_features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kFewest = 2;  // samples on either side

// Mean and deviation of every feature over the judged samples.
struct Scales {
  std::vector<double> mean;
  std::vector<double> deviation;
};

Scales scales_of(const Dataset& data, const JudgedSamples& judged) {
  const auto features = static_cast<std::size_t>(data.features());
  std::vector<double> sum(features, 0);
  std::vector<double> squares(features, 0);
  std::vector<double> missing(features, 0);
  for (const Index sample : judged.samples) {
    data.for_each_value(sample, [&](FeatureIndex f, double value) {
      const auto at = static_cast<std::size_t>(f);
      if (std::isnan(value)) {
        missing[at] += 1;
        return;
      }
      sum[at] += value;
      squares[at] += value * value;
    });
  }
  Scales scales{std::vector<double>(features, 0), std::vector<double>(features, 0)};
  for (std::size_t f = 0; f < features; ++f) {
    const double count = static_cast<double>(judged.samples.size()) - missing[f];
    if (count == 0) continue;
    scales.mean[f] = sum[f] / count;
    scales.deviation[f] = std::sqrt(std::max(0.0, squares[f] / count - scales.mean[f] * scales.mean[f]));
  }
  return scales;
}

// The places of the samples at or below every node.
std::vector<std::vector<Index>> places_below(const JudgedSamples& judged, const Taxonomy& taxonomy) {
  std::vector<std::vector<Index>> below(static_cast<std::size_t>(taxonomy.size()));
  const auto add = [&](NodeId node, Index place) {
    auto& places = below[static_cast<std::size_t>(node)];
    if (places.empty() || places.back() != place) places.push_back(place);
  };
  for (Index s = 0; s < judged.truth.samples(); ++s) {
    for (const NodeId label : judged.truth.of(s)) {
      add(label, s);
      for (const NodeId above : taxonomy.ancestors(label)) add(above, s);
    }
  }
  return below;
}

std::vector<double> sum_over(const Dataset& data, const JudgedSamples& judged, const std::vector<Index>& places,
                             const Scales& scales) {
  std::vector<double> sum(scales.mean.size(), 0);
  for (const Index place : places) {
    data.for_each_value(judged.samples[static_cast<std::size_t>(place)], [&](FeatureIndex f, double value) {
      const auto at = static_cast<std::size_t>(f);
      sum[at] += std::isnan(value) ? scales.mean[at] : value;
    });
  }
  return sum;
}

// The samples at or below some of the nodes.
std::vector<Index> places_of(std::span<const NodeId> nodes, const std::vector<std::vector<Index>>& below) {
  std::vector<Index> places;
  for (const NodeId node : nodes) {
    const auto& more = below[static_cast<std::size_t>(node)];
    places.insert(places.end(), more.begin(), more.end());
  }
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  return places;
}

// Features in which the samples of a node differ from the others around it, by the sums over it and over all around.
MarkingFeatures largest(const std::vector<double>& own, double own_count, const std::vector<double>& around,
                        double around_count, const Scales& scales, Index top) {
  MarkingFeatures all;
  for (std::size_t f = 0; f < own.size(); ++f) {
    // Differences of a constant feature are rounding errors.
    if (scales.deviation[f] <= 1e-7 * std::abs(scales.mean[f])) continue;
    const double others = (around[f] - own[f]) / (around_count - own_count);
    const double difference = (own[f] / own_count - others) / scales.deviation[f];
    if (difference != 0) all.emplace_back(static_cast<FeatureIndex>(f), difference);
  }
  const auto count = std::min(all.size(), static_cast<std::size_t>(top));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [](const auto& a, const auto& b) {
                      return std::pair(-std::abs(a.second), a.first) < std::pair(-std::abs(b.second), b.first);
                    });
  all.resize(count);
  return all;
}

// Nodes with the same parents, which are compared within the same samples.
std::vector<std::vector<std::size_t>> families(const Taxonomy& taxonomy, const std::vector<NodeId>& nodes) {
  std::map<std::vector<NodeId>, std::vector<std::size_t>> by_parents;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto parents = taxonomy.parents(nodes[k]);
    if (!parents.empty()) by_parents[{parents.begin(), parents.end()}].push_back(k);
  }
  std::vector<std::vector<std::size_t>> result;
  for (auto& [parents, members] : by_parents) result.push_back(std::move(members));
  return result;
}

}  // namespace

std::vector<MarkingFeatures> marking_features(const Dataset& data, const JudgedSamples& judged,
                                              const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index top,
                                              Context& ctx) {
  const Scales scales = scales_of(data, judged);
  const auto below = places_below(judged, taxonomy);
  const auto groups = families(taxonomy, nodes);
  std::vector<MarkingFeatures> result(nodes.size());
  parallel_for(ctx, std::ssize(groups), 1, [&](Index begin, Index) {
    const auto& family = groups[static_cast<std::size_t>(begin)];
    const std::vector<Index> around = places_of(taxonomy.parents(nodes[family.front()]), below);
    const std::vector<double> sum = sum_over(data, judged, around, scales);
    for (const std::size_t k : family) {
      const auto& own = below[static_cast<std::size_t>(nodes[k])];
      if (std::ssize(own) < kFewest || std::ssize(around) - std::ssize(own) < kFewest) continue;
      result[k] = largest(sum_over(data, judged, own, scales), static_cast<double>(own.size()), sum,
                          static_cast<double>(around.size()), scales, top);
    }
  });
  return result;
}

}  // namespace clade
