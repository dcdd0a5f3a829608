#include "classify/train.h"

#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "classify/classifier.h"
#include "data/missing.h"

namespace clade {
namespace {

void require_trainable(const Dataset& data, const Classifier& classifier) {
  if (data.samples() == 0) throw usage_error("there are no samples", "expected some to train on");
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).empty()) {
      throw usage_error(fmt::format("sample {} has no label", data.sample_name(s)), "expected labels to train on");
    }
  }
  if (classifier.takes_missing_values()) {
    require_no_infinity(data, 0, data.samples());
  } else {
    require_finite(data, 0, data.samples());
  }
}

// The features to use at each table's node, ascending.
std::vector<std::vector<FeatureIndex>> chosen_features(const FeatureRanking& ranking, Index top,
                                                       const std::vector<NodeTable>& tables, const Taxonomy& taxonomy) {
  std::vector<std::vector<FeatureIndex>> chosen;
  const bool is_global = ranking.nodes.size() == 1 && ranking.nodes[0].node == kNoNode;
  for (const NodeTable& table : tables) {
    const auto found = std::find_if(ranking.nodes.begin(), ranking.nodes.end(),
                                    [&](const NodeRanking& node) { return is_global || node.node == table.node; });
    if (found == ranking.nodes.end()) {
      if (table.classes() > 1) {
        throw usage_error(fmt::format("the ranking has no features for the node '{}'", taxonomy.name(table.node)),
                          "expected a ranking made over the same hierarchy");
      }
      chosen.emplace_back();
      continue;
    }
    if (found->ranking.empty() && table.classes() > 1) {
      throw usage_error(fmt::format("the ranking of the node '{}' is empty", taxonomy.name(table.node)),
                        "expected a feature at least");
    }
    const Index count = top == 0 ? std::ssize(found->ranking) : std::min(top, std::ssize(found->ranking));
    chosen.emplace_back(found->ranking.begin(), found->ranking.begin() + count);
    std::sort(chosen.back().begin(), chosen.back().end());
  }
  return chosen;
}

// Leaves out samples of weight 0: their values would otherwise still affect scales and probabilities. Empty: all
// samples count.
std::vector<Index> samples_that_count(std::span<const double> weight) {
  std::vector<Index> counting;
  for (std::size_t s = 0; s < weight.size(); ++s) {
    if (weight[s] > 0) counting.push_back(static_cast<Index>(s));
  }
  if (counting.size() == weight.size()) return {};
  if (counting.empty()) throw usage_error("all samples have weight 0", "expected some to train on");
  return counting;
}

// What the caller of a classifier adds to its model.
void complete_model(ModelBody& model, const Dataset& data, const Dataset& leaves, const TrainOptions& options,
                    Classifier& classifier, std::chrono::steady_clock::time_point start) {
  model.classifier = options.classifier;
  const ParameterTable described = classifier.parameters();
  for (const Parameter& parameter : described.parameters()) {
    model.parameters.emplace_back(parameter.name, parameter.get());
  }
  if (options.ranking) {
    model.summary.emplace_back("features by", options.ranking->method);
    if (options.top > 0) model.summary.emplace_back("features per node", fmt::format("{}", options.top));
  }
  model.taxonomy = leaves.taxonomy();
  model.features = data.features();
  model.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
  model.vectorizer = data.vectorizer();
  if (data.replacement()) model.replacement = data.replacement();  // else a classifier may have its own
  model.is_multilabel = has_several_labels(leaves);
  model.samples = leaves.samples();
  model.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same samples, with labels at inner nodes moved to the model's miscellaneous leaves.
Dataset with_model_leaves(const Dataset& data, const Taxonomy& taxonomy) {
  LabelSets labels;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      const auto known = taxonomy.find(data.taxonomy().name(label));
      if (!known) {
        throw usage_error(fmt::format("sample {} has the label '{}', which the model does not know",
                                      data.sample_name(s), data.taxonomy().name(label)),
                          "expected labels of its hierarchy");
      }
      const NodeId node = *known;
      const NodeId leaf = taxonomy.is_leaf(node) ? node : taxonomy.miscellaneous_leaf(node);
      if (leaf == kNoNode) {
        throw usage_error(fmt::format("sample {} has the label '{}', an inner node that the model has not seen as one",
                                      data.sample_name(s), taxonomy.name(node)),
                          "expected labels at leaves, or at inner nodes that were labels at first");
      }
      labels.nodes.push_back(leaf);
    }
    std::sort(labels.nodes.begin() + labels.offsets.back(), labels.nodes.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  return data.relabelled(taxonomy, std::move(labels));
}

}  // namespace

ModelBody train_model(const Dataset& data, const TrainOptions& options, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<Classifier> classifier = classifier_table().make(options.classifier, options.parameters);
  require_trainable(data, *classifier);
  if (holds_sequences(data) && !classifier->takes_sequences()) {
    throw usage_error(options.classifier + " learns from vectors, and the data are sequences",
                      "expected a classifier with `kernel` subsequence");
  }
  const std::vector<Index> counting = samples_that_count(options.weight);
  if (data.row_parts() && !classifier->takes_row_parts()) {
    throw usage_error(
        "with these parameters, every process needs the values of all samples",
        "expected data that each of them reads as a whole; or kernel-ridge; or top-down-logistic, or top-down-svm with "
        "`multiclass` one-vs-rest and `loss` squared-hinge, both without `calibrate` and `scale` standard");
  }
  if (data.row_parts() && !counting.empty()) {
    throw usage_error("some samples have weight 0", "expected data without them where processes read parts of it");
  }
  const auto counted = [&](const Dataset& all) {
    return counting.empty() ? with_leaf_labels(all) : with_leaf_labels(all).subset(counting);
  };
  const Dataset leaves = counted(data);
  const std::vector<NodeTable> tables = node_tables(leaves);
  TrainingInput input{leaves, tables, {}, options.weight};
  std::erase(input.weight, 0.0);
  input.results_for = options.results_for;
  if (options.ranking) input.features = chosen_features(*options.ranking, options.top, tables, leaves.taxonomy());
  if (options.relearn) {
    input.relearn = [&](std::span<const Index> samples) {
      std::vector<Index> rows(samples.begin(), samples.end());
      for (Index& row : rows) row = counting.empty() ? row : counting[static_cast<std::size_t>(row)];
      const TrainOptions::Relearnt learnt = options.relearn(rows);
      RelearntFeatures result{counted(learnt.data), {}};
      if (learnt.ranking) {
        result.features = chosen_features(*learnt.ranking, learnt.top, tables, leaves.taxonomy());
      }
      return result;
    };
  }
  ModelBody model = classifier->train(input, ctx);
  complete_model(model, data, leaves, options, *classifier, start);
  return model;
}

ModelBody continue_training(const ModelBody& model, const Dataset& data, const TrainOptions& options, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  TrainOptions all = options;
  all.classifier = model.classifier;
  for (const auto& [name, value] : model.parameters) all.parameters.emplace(name, value);
  const std::unique_ptr<Classifier> classifier = classifier_table().make(all.classifier, all.parameters);
  require_trainable(data, *classifier);
  const std::vector<Index> counting = samples_that_count(all.weight);
  Dataset leaves = with_model_leaves(data, *model.taxonomy);
  if (!counting.empty()) leaves = leaves.subset(counting);
  std::erase(all.weight, 0.0);
  const std::vector<NodeTable> tables = node_tables(leaves);
  const TrainingInput input{leaves, tables, {}, std::move(all.weight)};
  ModelBody next = classifier->resume(model, input, ctx);
  complete_model(next, data, leaves, all, *classifier, start);
  next.features = std::max(next.features, model.features);
  next.replacement = model.replacement;
  if (next.replacement && !next.replacement->empty() && std::ssize(*next.replacement) < next.features) {
    auto longer = std::make_shared<Replacement>(*next.replacement);
    longer->resize(static_cast<std::size_t>(next.features), 0);  // no earlier sample had them: they are mostly 0
    next.replacement = std::move(longer);
  }
  next.is_multilabel = next.is_multilabel || model.is_multilabel;
  next.samples += model.samples;
  next.seconds += model.seconds;
  return next;
}

}  // namespace clade
