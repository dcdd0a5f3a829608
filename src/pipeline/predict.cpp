#include "classify/predict.h"

#include <clade/predict.h>

#include "classify/apply.h"
#include "classify/explain.h"
#include "classify/model_kinds.h"

namespace clade {

Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  return predict(model.body(), with_model_features(data, model.body(), options.align_features, ctx), options, ctx);
}

bool can_explain(const Model& model) {
  return info_of(model.body().kind).decides_at_nodes;
}

std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons) {
  if (!can_explain(model)) {
    throw usage_error("decisions are explained node by node", "expected a top-down model");
  }
  return explain(model.body(), data, sample, label, reasons);
}

}  // namespace clade
