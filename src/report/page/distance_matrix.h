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
// is the number of samples: dots in light squares are small mistakes. Nothing if the leaves of the hierarchy are fewer
// than two or too many to see.
std::optional<PageFigure> distance_matrix_figure(const Taxonomy& taxonomy, const std::vector<WrongLabel>& wrong,
                                                 Context& ctx);

}  // namespace clade
