#include "classify/model_kinds.h"

#include <algorithm>

#include "classify/class_answers.h"
#include "classify/node_scores.h"
#include "classify/nodes/node_model.h"
#include "classify/predict.h"
#include "core/check.h"

namespace clade {
namespace {

constexpr ModelKindInfo kKinds[] = {
    {ModelKind::kTopDown, "top-down", true, false, predict_top_down, score_nodes_top_down},
    {ModelKind::kPaths, "paths", false, false, predict_at_once, score_nodes_by_classes},
    {ModelKind::kClasses, "classes", false, true, predict_at_once, score_nodes_by_classes},
    {ModelKind::kNodes, "nodes", false, false, predict_by_nodes, score_nodes_directly},
};

}  // namespace

const ModelKindInfo& info_of(ModelKind kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &ModelKindInfo::kind);
  CLADE_CHECK(found != std::end(kKinds));
  return *found;
}

const ModelKindInfo* find_model_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &ModelKindInfo::name);
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace clade
