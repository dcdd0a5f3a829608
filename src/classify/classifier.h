#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/select.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "classify/model_body.h"
#include "core/method_table.h"
#include "data/node_table.h"

namespace clade {

// Which features a classifier gets: all, a choice that all nodes share, or a choice for every node.
enum class ChosenFeatures { kAll, kSame, kPerNode };

// The features of all samples when learnt from only some of the samples.
struct RelearntFeatures {
  Dataset data;
  std::vector<std::vector<FeatureIndex>> features;  // as in TrainingInput
};

// What a classifier learns from. Everything in it must outlive the call.
struct TrainingInput {
  const Dataset& data;                              // all labels are leaves
  const std::vector<NodeTable>& tables;             // of all inner nodes, in id order
  std::vector<std::vector<FeatureIndex>> features;  // per table: the features to use, ascending; empty: all
  std::vector<double> weight;                       // of samples; empty: 1 each
  // A classifier that holds samples out also learns the features again from the remaining samples: vocabulary,
  // replacements of missing values, selection. Empty: no features were learnt from the samples.
  std::function<RelearntFeatures(std::span<const Index> samples)> relearn = {};
  // The samples from which scales are learnt; empty: all.
  std::vector<Index> scale_samples = {};
  // Classifiers that score all nodes then keep scores of the samples by models that have not seen them
  // (NodeModel::held_out).
  bool keeps_held_out = false;
  // Who gets the model, where processes share the work. That of the others is incomplete then, and only to be dropped.
  ResultsFor results_for = ResultsFor::kAll;

  ChosenFeatures chosen() const {
    if (features.empty()) return ChosenFeatures::kAll;
    const bool is_same = std::ranges::all_of(features, [&](const auto& own) { return own == features[0]; });
    return is_same ? ChosenFeatures::kSame : ChosenFeatures::kPerNode;
  }

  RelearntFeatures learnt_from(std::span<const Index> samples) const {
    return relearn ? relearn(samples) : RelearntFeatures{data, features};
  }
};

// A method of classification. To add one, write its file, its row in classifiers.cpp, its test and its page.
class Classifier {
 public:
  virtual ~Classifier() = default;
  // Refers to the classifier's options: set values through it, then train.
  virtual ParameterTable parameters() = 0;
  // Throws Error (kInput) if parameters contradict each other, or the choice of features: before any data is read.
  virtual void check(ChosenFeatures /*chosen*/) const {}
  // Fills kind, nodes, level weights, storage and summary; the caller does the rest. Throws Error (kInput) for
  // parameters that do not suit the data.
  virtual ModelBody train(const TrainingInput& input, Context& ctx) = 0;
  // Continues the training of a model: `input` has the model's features and taxonomy. For online learners.
  virtual ModelBody resume(const ModelBody& model, const TrainingInput& input, Context& ctx);
  // Can it learn where every process has the values of some samples only, with its current parameters?
  virtual bool takes_row_parts() const { return false; }
  // Can it learn from sequences, which are not vectors, with its current parameters?
  virtual bool takes_sequences() const { return false; }
  // Can it learn from missing values?
  virtual bool takes_missing_values() const { return false; }
};

const MethodTable<Classifier>& classifier_table();

}  // namespace clade
