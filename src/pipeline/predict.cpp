#include "classify/predict.h"

#include <clade/predict.h>

#include "classify/apply.h"
#include "classify/explain.h"
#include "classify/levels.h"
#include "classify/model_body.h"

namespace clade {

Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  return predict(model.body(), with_model_features(data, model.body(), options.align_features, ctx), options, ctx);
}

std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons) {
  return explain(model.body(), data, sample, label, reasons);
}

std::vector<std::vector<LevelAnswer>> levels_of(const Model& model, const Dataset& data, const Predictions& predictions,
                                                Context& ctx) {
  return levels_of(model.body(), data, predictions, ctx);
}

}  // namespace clade
