#include "pipeline/learn_recipe.h"

#include "classify/train.h"

namespace clade {

ModelBody learn_recipe(const Dataset& data, const Recipe& recipe, std::vector<double> weights, Context& ctx) {
  TrainOptions options{.classifier = recipe.classifier,
                       .parameters = recipe.parameters,
                       .ranking = recipe.features,
                       .top = recipe.top.empty() ? 0 : parse_top(recipe.top.text(), data.features()),
                       .weight = std::move(weights)};
  if (!recipe.select.method.empty()) {
    SelectOptions selection = recipe.select;
    selection.top = recipe.top;
    options.ranking = select(data, selection, ctx);
    for (const auto& note : options.ranking->notes) ctx.info(note);
  }
  return train_model(data, options, ctx);
}

}  // namespace clade
