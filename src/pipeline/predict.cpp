#include "classify/predict.h"

#include <clade/predict.h>

#include "classify/apply.h"
#include "classify/explain.h"
#include "classify/model_body.h"

namespace clade {

Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  return predict(model.body(), with_model_features(data, model.body(), options.align_features, ctx), options, ctx);
}

bool can_explain(const Model& model) {
  return model.body().kernel == nullptr;
}

std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons) {
  if (!can_explain(model)) {
    throw usage_error("a model with a kernel has no weights of features", "expected a linear model");
  }
  return explain(model.body(), data, sample, label, reasons);
}

}  // namespace clade
