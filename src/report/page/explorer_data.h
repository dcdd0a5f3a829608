#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/model.h>
#include <clade/select.h>

#include <string>
#include <vector>

#include "report/page/branch_counts.h"
#include "report/page/feature_shape.h"
#include "report/page/label_pairs.h"

namespace clade {

// What the scripts of a page know about the nodes of the hierarchy, as one compact JSON document:
//
//   names        of the nodes, the root first
//   parents      of each node, a list each
//   support, predicted, correct    samples that are truly there, predicted there, and both
//   branches     per inner node: [child, where they went, samples, ...] as in BranchCount; nodes are places in `names`
//   pairs        [true label, predicted label, samples, distance, ...] as in LabelPair, the most frequent of very many
//   words        what speaks for or against nodes: features, or training samples of a model with a kernel
//   for, against per node: [word, weight, ...], largest weights first
//   kind         "feature" or "training sample"
//   marks        per node: [word, difference, ...], by which features its samples stand out (MarkingFeatures); only
//                where `kind` is not "feature"
//   left_out     nodes of the hierarchy that are not here: where there are very many, those with most samples stay
//
// and what add_weights() adds.
struct ExplorerOptions {
  Index top = 8;  // words for a node, and half as many against it, where the hierarchy is not too large
  const FeatureShape& shape;
  const FeatureRanking* ranking = nullptr;
  Index room = 0;  // bytes for the whole document; what the page needs in any case may take more
};
std::string explorer_json(const Model& model, const Dataset& data, const Evaluation& evaluation,
                          const Taxonomy& taxonomy, const std::vector<BranchCount>& branches,
                          const std::vector<LabelPair>& pairs, const ExplorerOptions& options, Context& ctx);

}  // namespace clade
