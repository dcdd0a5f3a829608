#pragma once

#include <clade/taxonomy.h>

#include "taxonomy/body.h"

namespace clade {

// What defines a taxonomy, for files that must restore it with the same ids.
TaxonomyShape shape_of(const Taxonomy& taxonomy);

// The inverse. Trusts nothing: repeated names, ids that are not topological, nodes without a parent, and leaves wrongly
// marked as miscellaneous are Errors (kInput) at `where`. O(nodes + edges log edges).
Taxonomy restore_taxonomy(TaxonomyShape shape, const Where& where);

}  // namespace clade
