#pragma once

#include <clade/dataset.h>
#include <clade/taxonomy.h>

namespace clade {

// The same samples with their labels over another taxonomy, found by name; those that it lacks are left out.
Dataset relabelled_by_name(const Dataset& data, const Taxonomy& taxonomy);

// All leaves of the data's taxonomy, and inner nodes that are labels, below one root.
Taxonomy flattened(const Dataset& data);

}  // namespace clade
