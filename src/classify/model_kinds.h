#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include <span>
#include <string>
#include <string_view>

#include "classify/model_body.h"

namespace clade {

// What the rest of Clade needs to know about a kind of model. To add a kind, write its row in model_kinds.cpp, its
// prediction, its conditions (model/model_check.cpp), and its own arrays in the model file, if any.
struct ModelKindInfo {
  ModelKind kind;
  std::string_view name;   // in model files, and for people
  bool decides_at_nodes;   // chooses among the children at every node, so it can stop there and be explained
  bool ranks_all_classes;  // every class has a score for every sample
  Predictions (*predict)(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);
  // Fills the scores from 0 to 1 of all nodes for the samples from begin to end: a row per sample, zero at first, nodes
  // in id order, miscellaneous leaves too. They need not be consistent yet. Values of the data are finite.
  void (*score_nodes)(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                      Context& ctx);
};

const ModelKindInfo& info_of(ModelKind kind);
// Null: no kind has this name.
const ModelKindInfo* find_model_kind(std::string_view name);

// What a model of scores of nodes is made of, for people. Requires such a model.
std::string node_model_text(const ModelBody& model);

}  // namespace clade
