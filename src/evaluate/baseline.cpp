#include "evaluate/baseline.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace clade {
namespace {

// How often nodes occur among the samples.
struct Frequencies {
  std::vector<Index> labels;  // by node: samples with this label
  std::vector<Index> nodes;   // by node: samples with a label at or below it; the root is not counted
  Index samples = 0;          // with a label
  bool has_several = false;   // does a sample have two labels?
};

Frequencies count_frequencies(const Dataset& data, std::span<const Index> samples) {
  const Taxonomy& taxonomy = data.taxonomy();
  const auto size = static_cast<std::size_t>(taxonomy.size());
  Frequencies result{std::vector<Index>(size, 0), std::vector<Index>(size, 0)};
  std::vector<Index> alone(size, 0);  // labels of samples that have no other
  std::vector<Index> last(size, -1);  // the last sample that was counted at a node
  const auto add_above = [&](NodeId label, Index times, Index sample) {
    const auto add = [&](NodeId node) {
      const auto at = static_cast<std::size_t>(node);
      if (sample >= 0 && last[at] == sample) return;
      last[at] = sample;
      if (node != taxonomy.root()) result.nodes[at] += times;
    };
    add(label);
    for (const NodeId node : taxonomy.ancestors(label)) add(node);
  };
  for (const Index s : samples) {
    const auto labels = data.labels(s);
    if (labels.empty()) continue;
    ++result.samples;
    for (const NodeId label : labels) ++result.labels[static_cast<std::size_t>(label)];
    if (labels.size() == 1) {
      ++alone[static_cast<std::size_t>(labels[0])];
      continue;
    }
    result.has_several = true;
    for (const NodeId label : labels) add_above(label, 1, s);
  }
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (alone[static_cast<std::size_t>(node)] > 0) add_above(node, alone[static_cast<std::size_t>(node)], -1);
  }
  return result;
}

// Hierarchical F1 if every sample gets `predicted` nodes, which are right `common` times in all.
double f1_of(const Frequencies& counts, Index truth, Index common, Index predicted) {
  const Index both = truth + counts.samples * predicted;
  return both > 0 ? 2 * static_cast<double>(common) / static_cast<double>(both) : 1;
}

NodeId best_single(const Taxonomy& taxonomy, const Frequencies& counts, Index truth) {
  NodeId best = kNoNode;
  double best_f1 = -1;
  for (NodeId label = 0; label < taxonomy.size(); ++label) {
    if (counts.labels[static_cast<std::size_t>(label)] == 0) continue;
    Index common = counts.nodes[static_cast<std::size_t>(label)];
    Index predicted = label == taxonomy.root() ? 0 : 1;
    for (const NodeId node : taxonomy.ancestors(label)) {
      common += counts.nodes[static_cast<std::size_t>(node)];
      predicted += node == taxonomy.root() ? 0 : 1;
    }
    const double f1 = f1_of(counts, truth, common, predicted);
    if (f1 > best_f1) {
      best_f1 = f1;
      best = label;
    }
  }
  return best;
}

// Among all sets of k nodes, the k most frequent ones have most in common with the truth; a node is never more frequent
// than those above it, so they hold their ancestors.
std::vector<NodeId> best_set(const Taxonomy& taxonomy, const Frequencies& counts, Index truth) {
  std::vector<NodeId> order(static_cast<std::size_t>(taxonomy.size()) - 1);
  std::iota(order.begin(), order.end(), NodeId{1});
  const auto frequency = [&](NodeId node) { return counts.nodes[static_cast<std::size_t>(node)]; };
  std::ranges::sort(order, {}, [&](NodeId node) { return std::pair(-frequency(node), node); });
  std::size_t best = 0;
  double best_f1 = -1;
  Index common = 0;
  for (std::size_t k = 0; k < order.size() && frequency(order[k]) > 0; ++k) {
    common += frequency(order[k]);
    const double f1 = f1_of(counts, truth, common, static_cast<Index>(k) + 1);
    if (f1 > best_f1) {
      best_f1 = f1;
      best = k + 1;
    }
  }
  order.resize(best);
  std::vector<char> has_below(static_cast<std::size_t>(taxonomy.size()), 0);
  for (const NodeId node : order) {
    for (const NodeId parent : taxonomy.parents(node)) has_below[static_cast<std::size_t>(parent)] = 1;
  }
  std::erase_if(order, [&](NodeId node) { return has_below[static_cast<std::size_t>(node)] != 0; });
  return order;
}

void append(Predictions& predictions, std::span<const NodeId> labels) {
  predictions.labels.insert(predictions.labels.end(), labels.begin(), labels.end());
  predictions.scores.resize(predictions.labels.size(), 1);
  predictions.offsets.push_back(std::ssize(predictions.labels));
}

std::vector<std::optional<double>> values_of(const Dataset& data, const Predictions& predictions, bool scores_nodes,
                                             EvaluateOptions options, std::span<const Index> folds, Context& ctx) {
  const bool is_single = predictions.labels.size() == static_cast<std::size_t>(predictions.samples());
  options.label_set = is_single ? LabelSet::kTop1 : LabelSet::kAll;
  options.bootstrap = false;
  options.confusions = 0;
  options.probabilities = Probabilities::kNo;
  options.curve_points = 0;
  const std::vector<double> frequencies = scores_nodes ? node_frequencies(data) : std::vector<double>();
  std::optional<NodeScoreRows> rows;
  if (scores_nodes) rows.emplace(frequencies);
  return measure_predictions(data, predictions, rows, options, folds, ctx).values;
}

std::vector<Index> all_samples(const Dataset& data) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

std::vector<NodeId> constant_prediction(const Dataset& data, std::span<const Index> samples) {
  const Frequencies counts = count_frequencies(data, samples);
  if (counts.samples == 0) return {};
  const Index truth = std::accumulate(counts.nodes.begin(), counts.nodes.end(), Index{0});
  if (counts.has_several) return best_set(data.taxonomy(), counts, truth);
  return {best_single(data.taxonomy(), counts, truth)};
}

Baseline measure_constant(const Dataset& data, std::vector<NodeId> labels, bool scores_nodes,
                          const EvaluateOptions& options, std::span<const Index> folds, Context& ctx) {
  Baseline result;
  result.source = labels.empty() ? Baseline::Source::kEvaluated : Baseline::Source::kTraining;
  result.labels = labels.empty() ? constant_prediction(data, all_samples(data)) : std::move(labels);
  Predictions predictions;
  for (Index s = 0; s < data.samples(); ++s) append(predictions, result.labels);
  result.values = values_of(data, predictions, scores_nodes, options, folds, ctx);
  return result;
}

Baseline measure_constant_by_fold(const Dataset& data, bool scores_nodes, const EvaluateOptions& options,
                                  std::span<const Index> folds, Context& ctx) {
  Baseline result;
  result.source = Baseline::Source::kOtherFolds;
  std::vector<std::vector<NodeId>> of_fold;
  for (Index fold = 0; fold <= *std::ranges::max_element(folds); ++fold) {
    std::vector<Index> others;
    for (std::size_t s = 0; s < folds.size(); ++s) {
      if (folds[s] != fold) others.push_back(static_cast<Index>(s));
    }
    of_fold.push_back(constant_prediction(data, others));
  }
  Predictions predictions;
  for (const Index fold : folds) append(predictions, of_fold[static_cast<std::size_t>(fold)]);
  result.values = values_of(data, predictions, scores_nodes, options, folds, ctx);
  return result;
}

}  // namespace clade
