#pragma once

#include <string>
#include <string_view>

namespace clade {

// What the drawings share. All are self-contained SVG without scripts.

// Text as it may stand in XML; characters that XML cannot hold are replaced.
std::string svg_escaped(std::string_view text);

// An upper estimate of the width in pixels, because fonts differ: that of bold DejaVu Sans, one of the widest.
double svg_text_width(std::string_view text, double font);

// A whole drawing with a white ground.
std::string svg_document(double width, double height, double font, std::string_view body);

}  // namespace clade
