#include "report/page/marking_features.h"

#include <algorithm>
#include <cmath>

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

// Samples below some parent of the node, but not below the node.
std::vector<Index> rivals_of(const Taxonomy& taxonomy, NodeId node, const std::vector<std::vector<Index>>& below) {
  std::vector<Index> around;
  for (const NodeId parent : taxonomy.parents(node)) {
    const auto& places = below[static_cast<std::size_t>(parent)];
    around.insert(around.end(), places.begin(), places.end());
  }
  std::ranges::sort(around);
  around.erase(std::ranges::unique(around).begin(), around.end());
  std::vector<Index> rivals;
  std::ranges::set_difference(around, below[static_cast<std::size_t>(node)], std::back_inserter(rivals));
  return rivals;
}

MarkingFeatures largest(const std::vector<double>& own, double own_count, const std::vector<double>& others,
                        double other_count, const Scales& scales, Index top) {
  MarkingFeatures all;
  for (std::size_t f = 0; f < own.size(); ++f) {
    // Differences of a constant feature are rounding errors.
    if (scales.deviation[f] <= 1e-7 * std::abs(scales.mean[f])) continue;
    const double difference = (own[f] / own_count - others[f] / other_count) / scales.deviation[f];
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

}  // namespace

std::vector<MarkingFeatures> marking_features(const Dataset& data, const JudgedSamples& judged,
                                              const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index top,
                                              Context& ctx) {
  const Scales scales = scales_of(data, judged);
  const auto below = places_below(judged, taxonomy);
  std::vector<MarkingFeatures> result(nodes.size());
  parallel_for(ctx, std::ssize(nodes), 8, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const NodeId node = nodes[static_cast<std::size_t>(k)];
      const auto& own = below[static_cast<std::size_t>(node)];
      const std::vector<Index> rivals = rivals_of(taxonomy, node, below);
      if (std::ssize(own) < kFewest || std::ssize(rivals) < kFewest) continue;
      result[static_cast<std::size_t>(k)] =
          largest(sum_over(data, judged, own, scales), static_cast<double>(own.size()),
                  sum_over(data, judged, rivals, scales), static_cast<double>(rivals.size()), scales, top);
    }
  });
  return result;
}

}  // namespace clade
