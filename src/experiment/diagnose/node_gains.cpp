#include "experiment/diagnose/node_gains.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/progress.h"
#include "experiment/diagnose/edit_taxonomy.h"
#include "pipeline/other_taxonomy.h"

namespace clade {
namespace {

NodeGain gain_of(std::string node, Index classes, const TrialAnswers& hierarchical, const TrialAnswers& flat) {
  NodeGain gain;
  gain.node = std::move(node);
  gain.classes = classes;
  gain.accuracy = hierarchical.accuracy();
  gain.flat_accuracy = flat.accuracy();
  gain.gain = paired_gain(hierarchical, flat);
  return gain;
}

bool has_inner_child(const Taxonomy& taxonomy, NodeId node) {
  return std::ranges::any_of(taxonomy.children(node), [&](NodeId child) { return !taxonomy.is_leaf(child); });
}

// The samples below a node, those labelled with the node itself left out.
std::vector<Index> samples_within(const Dataset& data, NodeId node) {
  std::vector<Index> samples = samples_below(data, node);
  std::erase_if(samples, [&](Index s) { return data.labels(s)[0] == node; });
  return samples;
}

Index classes_of(const Dataset& data) {
  std::set<NodeId> classes;
  for (Index s = 0; s < data.samples(); ++s) classes.insert(data.labels(s)[0]);
  return std::ssize(classes);
}

// Folds of some samples, numbered without gaps.
std::vector<Index> folds_of(std::span<const Index> folds, const std::vector<Index>& samples, Index& count) {
  std::map<Index, Index> number;
  for (const Index s : samples) number.emplace(folds[static_cast<std::size_t>(s)], 0);
  count = 0;
  for (auto& [fold, place] : number) place = count++;
  std::vector<Index> own;
  for (const Index s : samples) own.push_back(number[folds[static_cast<std::size_t>(s)]]);
  return own;
}

}  // namespace

std::vector<NodeGain> node_gains(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                                 const TrialAnswers& given, const TrialAnswers& flat, Context& ctx) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<NodeGain> gains;
  if (!has_inner_child(taxonomy, taxonomy.root())) return gains;
  gains.push_back(gain_of(taxonomy.name(taxonomy.root()), classes_of(data), given, flat));
  std::vector<NodeId> nodes;
  for (const NodeId node : taxonomy.internal_nodes()) {
    if (node != taxonomy.root() && has_inner_child(taxonomy, node)) nodes.push_back(node);
  }
  Progress progress(ctx, "nodes", std::ssize(nodes));
  for (const NodeId node : nodes) {
    const std::vector<Index> samples = samples_within(data, node);
    Index fold_count = 0;
    const std::vector<Index> own_folds = folds_of(folds, samples, fold_count);
    progress.advance();
    if (fold_count < 2) continue;
    const Dataset local = relabelled_by_name(data.subset(samples), subtree(taxonomy, node));
    const Index classes = classes_of(local);
    if (classes < 2) continue;
    const TrialAnswers below = answers_over(local, recipe, own_folds, {}, ctx);
    const auto flatten = [](const Dataset& all, const std::vector<Index>&, Context&) { return flattened(all); };
    const TrialAnswers at_once = answers_over(local, recipe, own_folds, flatten, ctx);
    gains.push_back(gain_of(taxonomy.name(node), classes, below, at_once));
  }
  return gains;
}

}  // namespace clade
