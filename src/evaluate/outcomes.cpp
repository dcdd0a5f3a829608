#include "evaluate/outcomes.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "core/check.h"

namespace clade {
namespace {

std::vector<bool> classes_of(const Dataset& data, const Predictions& predictions) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<bool> is_class(static_cast<std::size_t>(taxonomy.size()));
  for (const NodeId leaf : taxonomy.leaves()) is_class[static_cast<std::size_t>(leaf)] = true;
  for (const NodeId label : predictions.labels) is_class[static_cast<std::size_t>(label)] = true;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) is_class[static_cast<std::size_t>(label)] = true;
  }
  return is_class;
}

struct Facts {
  Index evaluated = 0;
  Index longest_truth = 0;
  Index incomplete = 0;  // samples whose list lacks a true label
  bool lists_are_complete = true;
};

Facts facts_of(const Dataset& data, const Predictions& predictions, Index classes) {
  Facts facts;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto truth = data.labels(s);
    if (truth.empty()) continue;
    ++facts.evaluated;
    facts.longest_truth = std::max(facts.longest_truth, static_cast<Index>(truth.size()));
    const auto list = predictions.labels_of(s);
    if (static_cast<Index>(list.size()) < classes) facts.lists_are_complete = false;
    const bool holds_all = std::all_of(truth.begin(), truth.end(), [&](NodeId label) {
      return std::find(list.begin(), list.end(), label) != list.end();
    });
    if (!holds_all) ++facts.incomplete;
  }
  return facts;
}

LabelSet resolve(const EvaluateOptions& options, const Facts& facts, std::vector<std::string>& notes) {
  if (options.label_set != LabelSet::kAuto) return options.label_set;
  if (facts.longest_truth <= 1) return LabelSet::kTop1;
  if (!facts.lists_are_complete) return LabelSet::kAll;
  notes.emplace_back(
      "the predictions rank every class: the first label of each sample is taken as its label set (--label-set "
      "chooses)");
  return LabelSet::kTop1;
}

std::size_t set_size(LabelSet rule, const EvaluateOptions& options, std::span<const double> scores) {
  switch (rule) {
    case LabelSet::kTopK:
      return std::min(scores.size(), static_cast<std::size_t>(options.top_k));
    case LabelSet::kThreshold: {
      const auto below = std::find_if(scores.begin(), scores.end(), [&](double s) { return s < options.threshold; });
      return std::max<std::size_t>(1, static_cast<std::size_t>(below - scores.begin()));
    }
    case LabelSet::kAll:
      return scores.size();
    case LabelSet::kAuto:
    case LabelSet::kTop1:
      break;
  }
  return 1;
}

// Appends the most specific of the labels, ascending.
void append_set(const Taxonomy& taxonomy, std::span<const NodeId> labels, std::vector<NodeId>& sets) {
  const auto begin = static_cast<std::ptrdiff_t>(sets.size());
  sets.insert(sets.end(), labels.begin(), labels.end());
  std::sort(sets.begin() + begin, sets.end());
  if (labels.size() < 2) return;
  const std::vector<NodeId> all(sets.begin() + begin, sets.end());
  const auto is_above_another = [&](NodeId node) {
    if (taxonomy.is_leaf(node)) return false;
    return std::any_of(all.begin(), all.end(), [&](NodeId other) { return taxonomy.is_ancestor(node, other); });
  };
  sets.erase(std::remove_if(sets.begin() + begin, sets.end(), is_above_another), sets.end());
}

// Orders samples by a node of theirs; stable, O(samples + nodes).
template <class NodeOf>
std::vector<Index> sorted_by(const std::vector<Index>& samples, NodeId nodes, NodeOf&& node_of) {
  std::vector<Index> next(static_cast<std::size_t>(nodes) + 1, 0);
  for (const Index s : samples) ++next[static_cast<std::size_t>(node_of(s)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Index> sorted(samples.size());
  for (const Index s : samples) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(node_of(s))]++)] = s;
  }
  return sorted;
}

void append_outcome(Outcomes& outcomes, Index sample, NodeId first) {
  outcomes.sample.push_back(sample);
  outcomes.weight.push_back(0);
  outcomes.first.push_back(first);
}

// One label, one prediction: samples with the same pair share an outcome, in the order of the pairs.
void group_pairs(const Dataset& data, const Predictions& predictions, const std::vector<Index>& samples,
                 Outcomes& outcomes) {
  const auto truth = [&](Index s) { return data.labels(s)[0]; };
  const auto predicted = [&](Index s) { return predictions.labels_of(s)[0]; };
  const NodeId nodes = data.taxonomy().size();
  const std::vector<Index> order = sorted_by(sorted_by(samples, nodes, predicted), nodes, truth);
  NodeId last_truth = kNoNode;
  NodeId last_predicted = kNoNode;
  for (const Index s : order) {
    if (truth(s) != last_truth || predicted(s) != last_predicted) {
      last_truth = truth(s);
      last_predicted = predicted(s);
      append_outcome(outcomes, s, last_predicted);
      outcomes.predicted.push_back(last_predicted);
      outcomes.offsets.push_back(static_cast<Index>(outcomes.predicted.size()));
    }
    ++outcomes.weight.back();
    outcomes.of_sample[static_cast<std::size_t>(s)] = outcomes.size() - 1;
  }
}

}  // namespace

Index Outcomes::samples() const {
  return std::accumulate(weight.begin(), weight.end(), Index{0});
}

Outcomes find_outcomes(const Dataset& data, const Predictions& predictions, const EvaluateOptions& options,
                       Context& ctx) {
  CLADE_CHECK(predictions.samples() == data.samples());
  Outcomes outcomes;
  const std::vector<bool> is_class = classes_of(data, predictions);
  outcomes.classes = std::count(is_class.begin(), is_class.end(), true);
  const Facts facts = facts_of(data, predictions, outcomes.classes);
  if (facts.evaluated == 0) {
    throw usage_error("the data has no labelled sample", "expected labels to compare the predictions with");
  }
  outcomes.ranked = facts.incomplete == 0;
  const LabelSet rule = resolve(options, facts, outcomes.notes);
  if (facts.evaluated < data.samples()) {
    outcomes.notes.push_back(fmt::format("{} samples without a label are left out", data.samples() - facts.evaluated));
  }
  const bool lists_are_rankings = predictions.labels.size() > static_cast<std::size_t>(predictions.samples());
  if (!outcomes.ranked && lists_are_rankings) {
    outcomes.notes.push_back(
        fmt::format("average_precision, ranking_loss and maximal_loss need every true label in its sample's list; {} "
                    "samples lack one",
                    facts.incomplete));
  }

  std::vector<Index> samples;
  samples.reserve(static_cast<std::size_t>(facts.evaluated));
  for (Index s = 0; s < data.samples(); ++s) {
    if (!data.labels(s).empty()) samples.push_back(s);
  }
  outcomes.of_sample.assign(static_cast<std::size_t>(data.samples()), -1);
  if (rule == LabelSet::kTop1 && facts.longest_truth == 1 && !outcomes.ranked) {
    group_pairs(data, predictions, samples, outcomes);
    return outcomes;
  }
  for (const Index s : samples) {
    ctx.check_cancelled();
    const auto list = predictions.labels_of(s);
    append_outcome(outcomes, s, list[0]);
    outcomes.weight.back() = 1;
    outcomes.of_sample[static_cast<std::size_t>(s)] = outcomes.size() - 1;
    append_set(data.taxonomy(), list.first(set_size(rule, options, predictions.scores_of(s))), outcomes.predicted);
    outcomes.offsets.push_back(static_cast<Index>(outcomes.predicted.size()));
  }
  return outcomes;
}

std::vector<NodeId> labels_of(const Outcomes& outcomes, const Dataset& data, const Predictions& predictions) {
  std::vector<NodeId> labels = outcomes.predicted;
  labels.insert(labels.end(), outcomes.first.begin(), outcomes.first.end());
  for (const Index s : outcomes.sample) {
    const auto truth = data.labels(s);
    labels.insert(labels.end(), truth.begin(), truth.end());
    if (!outcomes.ranked) continue;
    const auto list = predictions.labels_of(s);
    labels.insert(labels.end(), list.begin(), list.end());
  }
  return labels;
}

}  // namespace clade
