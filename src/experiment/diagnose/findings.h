#pragma once

#include <clade/dataset.h>
#include <clade/diagnose.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "experiment/diagnose/trials.h"

namespace clade {

// How many samples of one class were given another, or the same, over some samples with one label each.
using ClassCounts = std::map<std::pair<NodeId, NodeId>, Index>;
ClassCounts class_counts(const Dataset& data, const TrialAnswers& answers, std::span<const Index> samples);

// Leaves with a common parent that the answers do not tell apart. `counts` are those of all samples.
std::vector<AlikeSiblings> alike_siblings(const Taxonomy& taxonomy, const ClassCounts& counts);

// Classes with at least one, but fewer than `fewest` samples; the smallest first.
std::vector<SmallClass> small_classes(const Dataset& data, Index fewest);

// Edits that one half of the samples suggests, the most promising first, moves and removals in turn; at most `most`.
//
// Move of a leaf: to the parent q of other leaves for which the following is largest and above that of its own parent:
// the confusions with the leaves of q, per sample of the class, by the answers without hierarchy, plus the mean cosine
// of its centroid and theirs. The difference times the samples of the class is what it promises. For a leaf whose
// siblings are all inner nodes, the leaves below them stand for those of its parent.
//
// Removal of an inner node: where more samples cross its border by the answers with the hierarchy alone than by those
// without alone.
std::vector<TaxonomyEdit> suggested_edits(const Dataset& data, const TrialAnswers& given, const TrialAnswers& flat,
                                          const std::vector<Index>& half, int most, Context& ctx);

}  // namespace clade
