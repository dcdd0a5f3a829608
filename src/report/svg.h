#pragma once

#include <string>
#include <string_view>

namespace clade {

// Used by all drawings, which are self-contained SVG without scripts.

// Text escaped for XML; characters that XML cannot hold are replaced.
std::string svg_escaped(std::string_view text);

// The width in pixels, estimated from above because fonts differ: that of bold DejaVu Sans, one of the widest.
double svg_text_width(std::string_view text, double font);

// A whole drawing on a white background.
std::string svg_document(double width, double height, double font, std::string_view body);

}  // namespace clade
