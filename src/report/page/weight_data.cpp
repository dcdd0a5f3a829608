#include "report/page/weight_data.h"

#include <clade/error.h>
#include <clade/explain.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "classify/model_body.h"
#include "core/parallel.h"
#include "report/page/marking_features.h"
#include "report/page/mean_images.h"
#include "report/page/packed_numbers.h"
#include "report/page/word_list.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr Index kStrongest = 24;          // features of a decision that are compared with those of others
constexpr Index kMostStrengths = 30'000;  // in all
constexpr Index kMostShares = 60'000;     // of groups, in all
constexpr Index kMostProfile = 5'000;     // features, to draw all of them
constexpr Index kMostPixels = 20'000;
constexpr double kMostKept = 4e6;            // nodes x features
constexpr Index kMostFeatureNames = 60'000;  // bytes
constexpr int kLongestFeature = 48;          // in letters

// The weights of features for a node, those that are not 0; in a model that decides node by node, by the decision at
// `parent`.
MarkingFeatures read_weights(const WeightSources& sources, NodeId node, NodeId parent) {
  if (node == sources.taxonomy.root() || node >= sources.explained) return {};
  std::vector<TellingFeatures> told;
  try {
    told = telling_features(sources.model, node, sources.model.features());
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInput) throw;
    return {};  // it is never chosen against another, or the model has no weights
  }
  if (told.empty()) return {};
  const auto found = std::ranges::find(told, parent, &TellingFeatures::node);
  const TellingFeatures& one = found == told.end() ? told.front() : *found;
  MarkingFeatures all;
  for (const auto* part : {&one.in_favour, &one.against}) {
    for (const auto& [feature, weight] : *part) all.emplace_back(feature, weight);
  }
  return all;
}

// Every node is asked for twice, for itself and for its parent; what fits in memory is kept.
class WeightReader {
 public:
  WeightReader(const WeightSources& sources, Context& ctx) : sources_(sources) {
    const double size = static_cast<double>(sources.nodes.size()) * static_cast<double>(sources.data.features());
    if (size > kMostKept) return;
    if (!sources.has_weights) {
      kept_ = marking_features(sources.data, *sources.evaluation.judged, sources.taxonomy, sources.nodes,
                               sources.data.features(), ctx);
    } else if (sources.taxonomy.is_tree() || sources.model.body().kind != ModelKind::kTopDown) {
      // Otherwise the weights depend on the parent.
      kept_.resize(sources.nodes.size());
      parallel_for(ctx, std::ssize(kept_), 4, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) {
          const NodeId node = sources.nodes[static_cast<std::size_t>(k)];
          const auto parents = sources.taxonomy.parents(node);
          kept_[static_cast<std::size_t>(k)] = read_weights(sources, node, parents.empty() ? kNoNode : parents[0]);
        }
      });
    }
  }

  MarkingFeatures of(NodeId node, NodeId parent) const {
    if (kept_.empty()) return sources_.has_weights ? read_weights(sources_, node, parent) : MarkingFeatures();
    const auto place = std::ranges::lower_bound(sources_.nodes, node);
    if (place == sources_.nodes.end() || *place != node) return {};
    return kept_[static_cast<std::size_t>(place - sources_.nodes.begin())];
  }

 private:
  const WeightSources& sources_;
  std::vector<MarkingFeatures> kept_;
};

// How much every feature matters where the children of a node are told apart.
std::vector<double> strengths_at(NodeId node, const WeightSources& sources, const WeightReader& reader) {
  std::vector<double> strength(static_cast<std::size_t>(sources.data.features()), 0);
  for (const NodeId child : sources.taxonomy.children(node)) {
    for (const auto& [feature, weight] : reader.of(child, node)) {
      strength[static_cast<std::size_t>(feature)] += weight * weight;
    }
  }
  for (double& one : strength) one = std::sqrt(one);
  return strength;
}

MarkingFeatures largest_of(const std::vector<double>& strength, Index count) {
  MarkingFeatures all;
  for (std::size_t f = 0; f < strength.size(); ++f) {
    if (strength[f] > 0) all.emplace_back(static_cast<FeatureIndex>(f), strength[f]);
  }
  const auto kept = std::min(all.size(), static_cast<std::size_t>(count));
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
      [](const auto& a, const auto& b) { return std::pair(-a.second, a.first) < std::pair(-b.second, b.first); });
  all.resize(kept);
  return all;
}

// Thousandths of the sum of absolute values by group; empty if they are all 0.
json group_shares(const std::vector<double>& values, const FeatureShape& shape) {
  std::vector<double> sums(shape.groups.size(), 0);
  double whole = 0;
  for (std::size_t f = 0; f < values.size(); ++f) {
    sums[static_cast<std::size_t>(shape.group_of[f])] += std::abs(values[f]);
    whole += std::abs(values[f]);
  }
  json shares = json::array();
  if (whole == 0) return shares;
  for (const double sum : sums) shares.push_back(std::lround(1000 * sum / whole));
  return shares;
}

// What is shown of one node.
struct NodeWeights {
  double largest = 0;
  std::string profile;  // of all weights; empty: there are none, or no room
  json groups;
  json decisions;
  MarkingFeatures strongest;
};

// How many nodes, the first ones, get what.
struct Rooms {
  Index profiles = 0;
  Index groups = 0;
  Index strongest = 0;  // features of a node
};

Rooms rooms_for(const WeightSources& sources) {
  Rooms rooms;
  const Index features = std::max<Index>(sources.data.features(), 1);
  const Index bytes_of_profile = features * 8 / 3 + 40;
  // Words have no order in which a plot of all of them could be read.
  const Index most = sources.shape.image ? kMostPixels : sources.data.vectorizer() ? 0 : kMostProfile;
  if (features <= most) rooms.profiles = sources.room / 2 / bytes_of_profile;
  const auto groups = std::max<Index>(1, std::ssize(sources.shape.groups));
  if (!sources.shape.groups.empty()) rooms.groups = std::min(kMostShares, sources.room / 40) / groups;
  Index inner = 0;
  for (const NodeId node : sources.nodes) inner += sources.taxonomy.is_leaf(node) ? 0 : 1;
  const Index affordable = std::min(kMostStrengths, sources.room / 80) / std::max<Index>(1, inner);
  rooms.strongest = std::min(kStrongest, affordable);
  return rooms;
}

NodeWeights weights_of(Index place, const WeightSources& sources, const WeightReader& reader, const Rooms& rooms) {
  const NodeId node = sources.nodes[static_cast<std::size_t>(place)];
  const auto parents = sources.taxonomy.parents(node);
  NodeWeights result;
  if (place < std::max(rooms.profiles, rooms.groups)) {
    std::vector<double> all(static_cast<std::size_t>(sources.data.features()), 0);
    for (const auto& [feature, weight] : reader.of(node, parents.empty() ? kNoNode : parents[0])) {
      all[static_cast<std::size_t>(feature)] = weight;
      result.largest = std::max(result.largest, std::abs(weight));
    }
    if (result.largest > 0 && place < rooms.profiles) result.profile = packed_signed(all, result.largest);
    if (result.largest > 0 && place < rooms.groups) result.groups = group_shares(all, sources.shape);
  }
  if (sources.taxonomy.is_leaf(node) || rooms.strongest == 0) return result;
  const std::vector<double> strength = strengths_at(node, sources, reader);
  result.strongest = largest_of(strength, rooms.strongest);
  if (!result.strongest.empty() && place < rooms.groups) result.decisions = group_shares(strength, sources.shape);
  return result;
}

json numbered_features(const MarkingFeatures& features, WordList& words, const Model& model) {
  WeightedWords named;
  for (const auto& [feature, weight] : features) {
    named.emplace_back(feature_word(model, feature), rounded_for_page(weight));
  }
  return words.numbered(named);
}

// The features of inner nodes as a selector ranked them.
void add_ranking(json& document, WordList& words, const WeightSources& sources, Index most) {
  document["selection"] = sources.ranking->method;
  std::map<std::string, const NodeRanking*> by_name;
  for (const NodeRanking& one : sources.ranking->nodes) {
    if (one.node != kNoNode) by_name[sources.model.taxonomy().name(one.node)] = &one;
  }
  json strongest = json::array();
  json common = json::array();
  bool has_common = false;
  for (const NodeId node : sources.nodes) {
    const auto found = by_name.find(sources.taxonomy.name(node));
    MarkingFeatures features;
    json shared = json::array();
    if (found != by_name.end()) {
      const NodeRanking& ranking = *found->second;
      const auto count = std::min(static_cast<std::size_t>(most), ranking.ranking.size());
      for (std::size_t k = 0; k < count; ++k) {
        features.emplace_back(ranking.ranking[k], ranking.weight.empty() ? 1.0 : ranking.weight[k]);
      }
      for (const FeatureIndex feature : ranking.common) {
        if (std::ssize(shared) < most) shared.push_back(feature_word(sources.model, feature));
      }
    }
    has_common = has_common || !shared.empty();
    strongest.push_back(numbered_features(features, words, sources.model));
    common.push_back(std::move(shared));
  }
  document["strongest"] = std::move(strongest);
  if (has_common) document["common"] = std::move(common);
}

void add_feature_names(json& document, const Model& model) {
  Index bytes = 0;
  json names = json::array();
  for (const std::string& name : model.feature_names()) {
    names.push_back(shortened(name, kLongestFeature));
    bytes += std::ssize(name);
    if (bytes > kMostFeatureNames) return;
  }
  if (!names.empty()) document["feature_names"] = std::move(names);
}

json counts_of_groups(const FeatureShape& shape) {
  std::vector<Index> counts(shape.groups.size(), 0);
  for (const Index group : shape.group_of) ++counts[static_cast<std::size_t>(group)];
  return counts;
}

}  // namespace

std::string feature_word(const Model& model, FeatureIndex feature) {
  if (model.feature_names().empty()) return fmt::format("feature {}", feature);
  return shortened(model.feature_names()[static_cast<std::size_t>(feature)], kLongestFeature);
}

void add_weights(json& document, WordList& words, const WeightSources& sources, Context& ctx) {
  const WeightReader reader(sources, ctx);
  const Rooms rooms = rooms_for(sources);
  std::vector<NodeWeights> found(sources.nodes.size());
  parallel_for(ctx, std::ssize(found), 4, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) found[static_cast<std::size_t>(k)] = weights_of(k, sources, reader, rooms);
  });
  json strongest = json::array();
  json profiles = json::object();
  json groups = json::object();
  json decisions = json::object();
  bool has_strongest = false;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::string place = std::to_string(k);
    NodeWeights& one = found[k];
    has_strongest = has_strongest || !one.strongest.empty();
    strongest.push_back(numbered_features(one.strongest, words, sources.model));
    if (!one.profile.empty()) profiles[place] = {one.largest, std::move(one.profile)};
    if (!one.groups.empty()) groups[place] = std::move(one.groups);
    if (!one.decisions.empty()) decisions[place] = std::move(one.decisions);
  }
  if (sources.ranking != nullptr && rooms.strongest > 0) {
    add_ranking(document, words, sources, rooms.strongest);
  } else if (has_strongest) {
    document["strongest"] = std::move(strongest);
  }
  if (!groups.empty() || !decisions.empty()) {
    document["groups"] = {{"names", sources.shape.groups},
                          {"features", counts_of_groups(sources.shape)},
                          {"nodes", std::move(groups)},
                          {"decisions", std::move(decisions)}};
  }
  if (!profiles.empty()) {
    document["weights"] = {{"features", sources.data.features()},
                           {"kind", sources.has_weights ? "weight" : "difference"},
                           {"nodes", std::move(profiles)}};
    add_feature_names(document, sources.model);
  }
  if (!sources.shape.image) return;
  const FeatureShape::Image& image = *sources.shape.image;
  document["image"] = {{"height", image.height}, {"width", image.width}, {"by_rows", image.order == PixelOrder::kRows}};
  add_mean_images(document, sources.data, *sources.evaluation.judged, sources.taxonomy, sources.nodes,
                  sources.room / 4);
}

}  // namespace clade
