#pragma once

#include <clade/taxonomy.h>

#include "taxonomy/body.h"

namespace clade {

// What defines a taxonomy, for files that must give it back with the same ids.
TaxonomyShape shape_of(const Taxonomy& taxonomy);

// The inverse. Trusts nothing: names that repeat, ids that are not topological, nodes that hang in the air, and
// miscellaneous leaves that are none are Errors (kInput) at `where`. O(nodes + edges log edges).
Taxonomy restore_taxonomy(TaxonomyShape shape, const Where& where);

}  // namespace clade
