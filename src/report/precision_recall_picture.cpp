#include "report/precision_recall_picture.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/svg.h"

namespace clade {
namespace {

// Lengths in pixels.
constexpr double kLetters = 14;
constexpr double kSide = 400;  // of the square that holds the curve
constexpr double kLeft = 64;
constexpr double kTop = 44;
constexpr double kRight = 24;
constexpr double kBottom = 56;

double across(double recall) {
  return kLeft + kSide * recall;
}
double down(double precision) {
  return kTop + kSide * (1 - precision);
}

std::string words(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, svg_escaped(text));
}

std::string grid() {
  std::string text;
  for (int k = 0; k <= 5; ++k) {
    const double share = k / 5.0;
    text += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\" fill=\"none\"/>\n",
                        across(share), down(0), down(1), across(0), down(share), across(1));
    text += words(across(share), down(0) + 18, "middle", fmt::format("{:.1f}", share));
    text += words(across(0) - 8, down(share) + 5, "end", fmt::format("{:.1f}", share));
  }
  return text;
}

}  // namespace

std::string precision_recall_csv(std::span<const CurvePoint> curve) {
  std::string text = "threshold,recall,precision\n";
  for (const CurvePoint& point : curve) {
    text += fmt::format("{},{},{}\n", point.threshold, point.recall, point.precision);
  }
  return text;
}

std::string precision_recall_svg(std::span<const CurvePoint> curve, double area, std::string_view title) {
  std::string body = words(kLeft, kTop - 18, "start", fmt::format("{} (area {:.4f})", title, area)) + grid();
  body += words(across(0.5), down(0) + 42, "middle", "recall");
  body +=
      fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">precision</text>\n",
                  kLeft - 44, down(0.5));
  // Steps, as the area is computed: the precision of a point holds since the recall of the one before.
  std::string path = fmt::format("M{:.2f} {:.2f}", across(0), down(curve.empty() ? 0 : curve.front().precision));
  for (const CurvePoint& point : curve)
    path += fmt::format("V{:.2f}H{:.2f}", down(point.precision), across(point.recall));
  body += fmt::format("<path d=\"{}\" stroke=\"#b2182b\" stroke-width=\"2\" fill=\"none\"/>\n", path);
  const double title_width = svg_text_width(title, kLetters) + svg_text_width(" (area 0.0000)", kLetters);
  return svg_document(kLeft + std::max(kSide, title_width) + kRight, kTop + kSide + kBottom, kLetters, body);
}

}  // namespace clade
