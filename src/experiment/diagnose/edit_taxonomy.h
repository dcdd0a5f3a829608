#pragma once

#include <clade/diagnose.h>
#include <clade/taxonomy.h>

#include <span>
#include <vector>

namespace clade {

// The taxonomy after some edits, in their order. Inner nodes that a move leaves without children go, and so do those
// that it leaves with a single one, unless they are in `labelled` or were so before. All other names stay.
Taxonomy edited_taxonomy(const Taxonomy& taxonomy, std::span<const TaxonomyEdit> edits,
                         std::span<const NodeId> labelled);

// Inner nodes that divide nothing: they have one child, and no label of their own. Of the root the only child, if it
// has children. As edits.
std::vector<TaxonomyEdit> chains_of(const Taxonomy& taxonomy, std::span<const NodeId> labelled);

// The part at or below a node.
Taxonomy subtree(const Taxonomy& taxonomy, NodeId node);

}  // namespace clade
