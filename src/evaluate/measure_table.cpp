#include "evaluate/measure_table.h"

#include <clade/error.h>
#include <clade/evaluate.h>

namespace clade {

namespace {

// In the order of enum MeasureId.
constexpr MeasureInfo kMeasures[] = {
    {"accuracy", "share of samples whose label set is exactly right", true},
    {"hierarchical_precision", "share of the predicted nodes, ancestors included, that are true", true},
    {"hierarchical_recall", "share of the true nodes, ancestors included, that are predicted", true},
    {"hierarchical_f1", "harmonic mean of hierarchical precision and recall", true},
    {"tie", "edges between the true and the predicted label (tree-induced error)", false},
    {"tie_normalized", "tie divided by the largest distance in the taxonomy", false},
    {"f_lca", "F1 over the minimal graphs that join labels to their lowest common ancestors", true},
    {"p_lca", "precision over the same graphs", true},
    {"r_lca", "recall over the same graphs", true},
    {"hierarchical_accuracy", "share of levels on which the true and the predicted path agree", true},
    {"one_accuracy", "share of samples whose first label is right", true},
    {"average_precision", "precision at each true label of the ranking, averaged", true},
    {"ranking_loss", "share of pairs of a true and a wrong label that are in the wrong order", false},
    {"maximal_loss", "largest hierarchical loss among the pairs in the wrong order", false},
    {"top_loss", "hierarchical loss of the first label", false},
    {"parent_accuracy", "share of samples whose first label has a parent in common with a true one", true},
    {"symmetric_loss", "nodes, ancestors included, that are true or predicted but not both", false},
};
static_assert(std::size(kMeasures) == kMeasureCount);

}  // namespace

std::span<const MeasureInfo> measures() {
  return kMeasures;
}

std::optional<double> Evaluation::value(std::string_view measure) const {
  for (std::size_t k = 0; k < kMeasureCount; ++k) {
    if (kMeasures[k].name == measure) return values[k];
  }
  throw usage_error("no measure '" + std::string(measure) + "'");
}

}  // namespace clade
