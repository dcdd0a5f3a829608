#pragma once

#include <clade/learn.h>

#include <string>

namespace clade {

// A dendrogram as SVG: the classes in rows on the left, a link for every merge at its distance on the axis below.
// Classes and links of one cluster of the lowest level share a colour, with the cluster's name beside them. Links that
// were cut are dashed and grey, with a cross; the cross is large if the link's own inconsistency was too large, not
// just that of a link below. Self-contained, without scripts, as high as the classes need.
std::string dendrogram_svg(const LearnedTaxonomy& learned, const std::string& title);

}  // namespace clade
