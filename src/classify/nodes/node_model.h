#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>
#include <clade/types.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/linear/feature_scale.h"
#include "classify/nodes/forest_model.h"
#include "classify/nodes/score_map.h"
#include "data/kernel/kernel_samples.h"
#include "math/dense.h"

namespace clade {

// Scores as sums over training samples: sum_j k(x, x_j) coefficient[j, c] for column c.
struct RidgeExpansion {
  std::vector<FeatureIndex> features;  // that are compared, ascending; empty: all
  FeatureScale scale;                  // of new samples, before they are compared
  KernelOptions kernel;                // gamma is set, not auto
  KernelSamples support;
  Matrix coefficient;              // support samples x columns
  std::vector<std::string> names;  // of the support samples, for explanations
  LabelSets labels;                // likewise
};

// A model that scores all nodes at once. Immutable once made.
struct NodeModel {
  std::vector<NodeId> nodes;  // of each column, ascending; all others have score 0
  std::vector<double> mean;   // per column: what is added to the sums, such as the share of training samples there
  std::optional<RidgeExpansion> ridge;
  std::optional<Forest> forest;
  double forest_share = 1;  // what the forest's scores are multiplied by; the rest is a matter of the other parts
  ScoreMap map;             // from sums to probabilities

  // For samples with one label: the nodes that were labels, and what weighs a path (path_labels.h).
  std::vector<NodeId> labels;
  double path_threshold = 0;
  double temperature = 1;
  double doubt = 0;  // the share of probability that all labels have in equal parts

  // While a blend is trained: scores of the training samples by models that have not seen them, samples x columns.
  Matrix held_out;

  Index columns() const { return std::ssize(nodes); }
  // The column of a node, or -1.
  Index column_of(NodeId node) const {
    const auto found = std::ranges::lower_bound(nodes, node);
    return found != nodes.end() && *found == node ? found - nodes.begin() : -1;
  }
};

struct ModelBody;

// The sums of all columns for the samples from begin to end, before they are mapped to probabilities: samples x
// columns.
Matrix node_sums(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx);

// Does the model handle missing values itself?
bool takes_missing_values(const ModelBody& model);
// The data as kernels compare them: with the model's means for missing values, if it has any.
Dataset with_means(const ModelBody& model, const Dataset& data, Context& ctx);
// Throws Error (kInput) that names the first value of the samples [begin, end) that the model cannot handle.
void require_usable(const ModelBody& model, const Dataset& data, Index begin, Index end);

// For the table of kinds of models (model_kinds.h).
void score_nodes_directly(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                          Context& ctx);
Predictions predict_by_nodes(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

}  // namespace clade
