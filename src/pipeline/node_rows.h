#pragma once

#include <clade/dataset.h>
#include <clade/node_scores.h>

#include "core/output_file.h"

namespace clade {

// Writes the nodes with a score above `threshold`, in id order, without the root: rows of sample,node,score, or an
// object per sample. The nodes are those of data.taxonomy(), which may have more at its end.
void write_node_rows(const NodeScores& scores, double threshold, const Dataset& data, Sink& sink, bool has_header);
void write_node_objects(const NodeScores& scores, double threshold, const Dataset& data, Sink& sink);

}  // namespace clade
