#include "experiment/diagnose/node_gains.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "experiment/diagnose/edit_taxonomy.h"
#include "pipeline/other_taxonomy.h"

namespace clade {
namespace {

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

// The inner nodes to look at, ascending.
std::vector<NodeId> largest_nodes(const Dataset& data, Index most) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<Index> samples(static_cast<std::size_t>(taxonomy.size()), 0);
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId node : taxonomy.ancestors(data.labels(s)[0])) ++samples[static_cast<std::size_t>(node)];
  }
  std::vector<NodeId> nodes(taxonomy.internal_nodes().begin(), taxonomy.internal_nodes().end());
  std::ranges::sort(nodes, {}, [&](NodeId node) { return std::pair(-samples[static_cast<std::size_t>(node)], node); });
  nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(most)));
  std::ranges::sort(nodes);
  return nodes;
}

class NodeTrials {
 public:
  NodeTrials(const Dataset& data, const Recipe& recipe, std::span<const Index> folds, std::span<const NodeId> labels,
             const TrialAnswers& given, const TrialAnswers& flat, Context& ctx)
      : data_(data), recipe_(recipe), folds_(folds), labels_(labels), given_(given), flat_(flat), ctx_(ctx) {}

  std::optional<NodeGain> at(NodeId node) {
    const Local* local = local_of(node);
    if (local == nullptr) return std::nullopt;
    NodeGain gain;
    gain.node = data_.taxonomy().name(node);
    gain.classes = classes_of(local->data);
    gain.samples = local->data.samples();
    if (has_inner_child(data_.taxonomy(), node)) {
      const TrialAnswers& below = answers_of(node);
      const TrialAnswers at_once = node == data_.taxonomy().root() ? flat_ : answers(*local, flattened(local->data));
      gain.below = NodeGain::Below{below.accuracy(), at_once.accuracy(), paired_gain(below, at_once)};
    }
    gain.as_group = gain_as_group(node);
    return gain;
  }

 private:
  // The samples below a node, with their labels over what is below it.
  struct Local {
    Dataset data;
    std::vector<Index> folds;
    std::optional<TrialAnswers> answers;
  };

  TrialAnswers answers(const Local& local, const Taxonomy& taxonomy) {
    const auto source = [&](const Dataset&, const std::vector<Index>&, Context&) { return taxonomy; };
    return answers_over(local.data, recipe_, local.folds, source, ctx_);
  }

  // Null if there is too little to learn from. Kept for the children, which come later.
  Local* local_of(NodeId node) {
    const auto known = locals_.find(node);
    if (known != locals_.end()) return known->second ? &*known->second : nullptr;
    std::optional<Local>& local = locals_[node];
    if (node == data_.taxonomy().root()) {
      local = Local{data_, {folds_.begin(), folds_.end()}, given_};
      return &*local;
    }
    const std::vector<Index> samples = samples_within(data_, node);
    Index fold_count = 0;
    std::vector<Index> own_folds = folds_of(folds_, samples, fold_count);
    if (fold_count < 2) return nullptr;
    Dataset own = relabelled_by_name(data_.subset(samples), subtree(data_.taxonomy(), node));
    if (classes_of(own) < 2) return nullptr;
    local = Local{std::move(own), std::move(own_folds), {}};
    return &*local;
  }

  const TrialAnswers& answers_of(NodeId node) {
    Local* local = local_of(node);
    if (!local->answers) local->answers = answers_over(local->data, recipe_, local->folds, {}, ctx_);
    return *local->answers;
  }

  std::optional<PairedGain> gain_as_group(NodeId node) {
    const Taxonomy& taxonomy = data_.taxonomy();
    const bool is_label = std::ranges::find(labels_, node) != labels_.end();
    if (node == taxonomy.root() || is_label || taxonomy.children(node).size() < 2) return std::nullopt;
    const NodeId parent = taxonomy.parents(node)[0];
    const Local* around = local_of(parent);
    TaxonomyEdit removal;
    removal.kind = TaxonomyEdit::Kind::kRemove;
    removal.node = taxonomy.name(node);
    const TrialAnswers without = answers(*around, edited_taxonomy(around->data.taxonomy(), {&removal, 1}, {}));
    return paired_gain(answers_of(parent), without);
  }

  const Dataset& data_;
  const Recipe& recipe_;
  std::span<const Index> folds_;
  std::span<const NodeId> labels_;
  const TrialAnswers& given_;
  const TrialAnswers& flat_;
  Context& ctx_;
  std::map<NodeId, std::optional<Local>> locals_;
};

}  // namespace

std::vector<NodeGain> node_gains(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                                 std::span<const NodeId> labels, const TrialAnswers& given, const TrialAnswers& flat,
                                 Index most, Progress& progress, Context& ctx) {
  const std::vector<NodeId> nodes = largest_nodes(data, most);
  NodeTrials trials(data, recipe, folds, labels, given, flat, ctx);
  std::vector<NodeGain> gains;
  for (const NodeId node : nodes) {
    if (auto gain = trials.at(node)) gains.push_back(std::move(*gain));
    progress.advance();
  }
  return gains;
}

}  // namespace clade
