#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include <string_view>

#include "classify/model_body.h"

namespace clade {

// What the rest of Clade asks of a kind of model. A new kind is a row in model_kinds.cpp, its prediction, what must
// hold of it (model/model_check.cpp), and the arrays of its own that a model file keeps.
struct ModelKindInfo {
  ModelKind kind;
  std::string_view name;   // in model files, and for people
  bool decides_at_nodes;   // a choice among the children at every node, which can be stopped at and explained
  bool ranks_all_classes;  // every class has a score for every sample
  Predictions (*predict)(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);
};

const ModelKindInfo& info_of(ModelKind kind);
// Null: no kind has this name.
const ModelKindInfo* find_model_kind(std::string_view name);

}  // namespace clade
