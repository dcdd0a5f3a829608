#pragma once

#include <clade/evaluate.h>

#include <span>
#include <string>
#include <string_view>

namespace clade {

// A precision-recall curve as CSV with the columns threshold, recall and precision, and as a drawing (SVG).
std::string precision_recall_csv(std::span<const CurvePoint> curve);
std::string precision_recall_svg(std::span<const CurvePoint> curve, double area, std::string_view title);

}  // namespace clade
