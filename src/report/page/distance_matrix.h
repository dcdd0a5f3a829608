#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <optional>
#include <string>
#include <vector>

#include "report/page/html.h"
#include "report/page/mistakes.h"

namespace clade {

// The distances between all classes in the hierarchy as shades of a matrix, with a dot for every confusion, whose area
// is the number of samples: dots in light squares are small mistakes. In a tree with too many leaves to see, nodes
// above stand for them. Nothing if fewer than two are left, or if there are too many in a DAG.
std::optional<PageFigure> distance_matrix_figure(const Taxonomy& taxonomy, const std::vector<WrongLabel>& wrong,
                                                 Context& ctx);

}  // namespace clade
