#include "report/page/explorer_data.h"

#include <clade/explain.h>
#include <clade/node_scores.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "classify/model_body.h"
#include "core/json.h"
#include "core/parallel.h"
#include "report/page/marking_features.h"
#include "report/page/weight_data.h"
#include "report/page/word_list.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

// A page has at most 3 MB, most of which is here.
constexpr Index kMostNameBytes = 700'000;
constexpr std::size_t kMostBranchCounts = 40'000;
constexpr std::size_t kMostPairs = 20'000;
constexpr Index kMostWeights = 60'000;
constexpr double kMostExplaining = 1e9;  // steps of work, some seconds
constexpr int kLongestWord = 48;         // in letters

// The nodes that are shown: all, or those with most samples. A node has at least as many samples as those below it, so
// that all ancestors of a shown node are shown.
std::vector<NodeId> shown_nodes(const Taxonomy& taxonomy, const Evaluation& evaluation) {
  constexpr Index kBytesBesideName = 24;  // quotes, counts, parents
  std::vector<NodeId> nodes(static_cast<std::size_t>(taxonomy.size()));
  for (NodeId v = 0; v < taxonomy.size(); ++v) nodes[static_cast<std::size_t>(v)] = v;
  const auto samples = [&](NodeId v) {
    const NodeScore& score = evaluation.nodes[static_cast<std::size_t>(v)];
    return std::max(score.support, score.predicted);
  };
  std::ranges::sort(nodes, {}, [&](NodeId v) { return std::pair(-samples(v), v); });
  std::erase(nodes, taxonomy.root());
  nodes.insert(nodes.begin(), taxonomy.root());
  Index bytes = 0;
  std::size_t count = 0;
  while (count < nodes.size() && bytes < kMostNameBytes) {
    bytes += std::ssize(taxonomy.name(nodes[count])) + kBytesBesideName;
    ++count;
  }
  nodes.resize(count);
  std::ranges::sort(nodes);
  return nodes;
}

// What speaks for a node and against it; the decision at its first parent, where there are several.
struct Telling {
  std::vector<std::pair<std::string, double>> in_favour;
  std::vector<std::pair<std::string, double>> against;
  bool are_samples = false;
};

Telling telling_of(const Model& model, NodeId node, Index top) {
  Telling result;
  std::vector<TellingFeatures> found;
  try {
    found = telling_features(model, node, top);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInput) throw;
    return result;  // it is never chosen against another, or the model has no weights
  }
  if (found.empty()) return result;
  const TellingFeatures& one = found.front();
  const auto half = static_cast<std::size_t>((top + 1) / 2);
  for (const auto& [feature, weight] : one.in_favour) {
    result.in_favour.emplace_back(feature_word(model, feature), rounded_for_page(weight));
  }
  for (std::size_t k = 0; k < std::min(half, one.against.size()); ++k) {
    result.against.emplace_back(feature_word(model, one.against[k].feature), rounded_for_page(one.against[k].weight));
  }
  for (const auto& example : one.examples) {
    result.in_favour.emplace_back(shortened(example.name, kLongestWord), rounded_for_page(example.weight));
    result.are_samples = true;
  }
  for (std::size_t k = 0; k < std::min(half, one.counter_examples.size()); ++k) {
    const auto& example = one.counter_examples[k];
    result.against.emplace_back(shortened(example.name, kLongestWord), rounded_for_page(example.weight));
  }
  return result;
}

// How many of the nodes are explained, the first ones, so that it takes seconds and not hours.
Index explained_nodes(const Model& model) {
  const double classes = static_cast<double>(model.taxonomy().leaves().size());
  const double width = model.body().kind == ModelKind::kTopDown ? 0 : classes * 64;
  const double work = 20 * static_cast<double>(std::max<Index>(model.features(), 1)) + width;
  return std::min(scored_nodes(model), static_cast<Index>(kMostExplaining / work) + 1);
}

Index affordable_top(const std::vector<NodeId>& nodes, Index top) {
  return std::clamp<Index>(2 * kMostWeights / (3 * std::ssize(nodes)), 1, top);
}

std::vector<Telling> telling_words(const Model& model, const std::vector<NodeId>& nodes, Index top, Context& ctx) {
  std::vector<Telling> result(nodes.size());
  const Index most = explained_nodes(model);
  top = affordable_top(nodes, top);
  parallel_for(ctx, std::ssize(nodes), 16, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const NodeId node = nodes[static_cast<std::size_t>(k)];
      if (node != model.taxonomy().root() && node < most) {
        result[static_cast<std::size_t>(k)] = telling_of(model, node, top);
      }
    }
  });
  return result;
}

// Models without weights of features: what marks a node in the data.
void add_marks(json& document, WordList& words, const Model& model, const Dataset& data, const Evaluation& evaluation,
               const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index top, Context& ctx) {
  const double work =
      static_cast<double>(nodes.size()) * static_cast<double>(data.features()) +
      static_cast<double>(evaluation.samples) * static_cast<double>(data.features()) * taxonomy.levels();
  if (work > kMostExplaining) return;
  document["marks"] = json::array();
  for (const MarkingFeatures& marks : marking_features(data, *evaluation.judged, taxonomy, nodes, top, ctx)) {
    std::vector<std::pair<std::string, double>> named;
    for (const auto& [feature, difference] : marks) {
      named.emplace_back(feature_word(model, feature), rounded_for_page(difference));
    }
    document["marks"].push_back(words.numbered(named));
  }
}

bool has_feature_weights(const std::vector<Telling>& telling) {
  return std::ranges::any_of(telling, [](const Telling& one) { return !one.are_samples && !one.in_favour.empty(); });
}

void add_words(json& document, const Model& model, const Dataset& data, const Evaluation& evaluation,
               const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, const ExplorerOptions& options,
               Context& ctx) {
  WordList words;
  bool are_samples = false;
  document["for"] = json::array();
  document["against"] = json::array();
  const std::vector<Telling> told = telling_words(model, nodes, options.top, ctx);
  for (const Telling& telling : told) {
    document["for"].push_back(words.numbered(telling.in_favour));
    document["against"].push_back(words.numbered(telling.against));
    are_samples = are_samples || telling.are_samples;
  }
  const bool has_weights = has_feature_weights(told);
  if (!has_weights) {
    add_marks(document, words, model, data, evaluation, taxonomy, nodes, affordable_top(nodes, options.top), ctx);
  }
  const Index used = std::ssize(dump_json(document));
  add_weights(document, words,
              {.model = model,
               .data = data,
               .evaluation = evaluation,
               .taxonomy = taxonomy,
               .nodes = nodes,
               .shape = options.shape,
               .ranking = options.ranking,
               .explained = explained_nodes(model),
               .has_weights = has_weights,
               .room = std::max<Index>(0, options.room - used)},
              ctx);
  document["words"] = words.words();
  document["kind"] = are_samples ? "training sample" : "feature";
}

// The largest counts, in their order.
std::vector<BranchCount> largest_counts(std::vector<BranchCount> branches) {
  if (branches.size() <= kMostBranchCounts) return branches;
  const auto by_count = [](const BranchCount& b) { return std::tuple(-b.count, b.node, b.child, b.went); };
  std::ranges::sort(branches, {}, by_count);
  branches.resize(kMostBranchCounts);
  std::ranges::sort(branches, {}, [](const BranchCount& b) { return std::tuple(b.node, b.child, b.went); });
  return branches;
}

json pairs_json(std::vector<LabelPair> pairs, const std::map<NodeId, Index>& place) {
  std::erase_if(pairs, [&](const LabelPair& p) { return !place.contains(p.truth) || !place.contains(p.predicted); });
  std::ranges::sort(pairs, {}, [](const LabelPair& p) { return std::tuple(-p.count, p.truth, p.predicted); });
  pairs.resize(std::min(pairs.size(), kMostPairs));
  json list = json::array();
  for (const LabelPair& pair : pairs) {
    for (const Index number : {place.at(pair.truth), place.at(pair.predicted), pair.count, Index{pair.distance}}) {
      list.push_back(number);
    }
  }
  return list;
}

}  // namespace

std::string explorer_json(const Model& model, const Dataset& data, const Evaluation& evaluation,
                          const Taxonomy& taxonomy, const std::vector<BranchCount>& branches,
                          const std::vector<LabelPair>& pairs, const ExplorerOptions& options, Context& ctx) {
  const std::vector<NodeId> nodes = shown_nodes(taxonomy, evaluation);
  std::map<NodeId, Index> place;
  json document{{"left_out", taxonomy.size() - std::ssize(nodes)}};
  for (const char* key : {"names", "parents", "support", "predicted", "correct"}) document[key] = json::array();
  for (const NodeId node : nodes) {
    place[node] = std::ssize(place);
    document["names"].push_back(taxonomy.name(node));
    json parents = json::array();
    for (const NodeId parent : taxonomy.parents(node)) parents.push_back(place.at(parent));
    document["parents"].push_back(std::move(parents));
    const NodeScore& score = evaluation.nodes[static_cast<std::size_t>(node)];
    document["support"].push_back(score.support);
    document["predicted"].push_back(score.predicted);
    document["correct"].push_back(score.correct);
  }
  document["branches"] = json::object();
  for (const BranchCount& branch : largest_counts(branches)) {
    if (!place.contains(branch.node) || !place.contains(branch.child)) continue;
    if (branch.went >= 0 && !place.contains(branch.went)) continue;
    json& list = document["branches"][std::to_string(place.at(branch.node))];
    list.push_back(place.at(branch.child));
    list.push_back(branch.went < 0 ? static_cast<Index>(branch.went) : place.at(branch.went));
    list.push_back(branch.count);
  }
  document["pairs"] = pairs_json(pairs, place);
  add_words(document, model, data, evaluation, taxonomy, nodes, options, ctx);
  std::string text = dump_json(document);
  // Each part has a limit; where all reach it, there are too many parts.
  for (const char* part : {"means", "weights", "groups", "strongest"}) {
    if (std::ssize(text) <= options.room) break;
    if (document.erase(part) > 0) text = dump_json(document);
  }
  return text;
}

}  // namespace clade
