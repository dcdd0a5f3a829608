// How a learned hierarchy came about.
#include <fmt/format.h>

#include "report/dendrogram_picture.h"
#include "report/page/model_sections.h"

namespace clade {
namespace {

constexpr std::size_t kMostDendrogramClasses = 600;

std::string part_name(const Dendrogram& dendrogram, Index part) {
  const auto classes = std::ssize(dendrogram.classes);
  return part < classes ? dendrogram.classes[static_cast<std::size_t>(part)]
                        : fmt::format("merge {}", part - classes + 1);
}

PageTable merges_table(const Dendrogram& dendrogram) {
  PageTable table{"dendrogram", "Merges, nearest first", {}, {}};
  table.columns = {{"merge", true, ""},
                   {"first part", false, ""},
                   {"second part", false, ""},
                   {"distance", true, ""},
                   {"classes", true, ""},
                   {"inconsistency", true, "of the link, compared with the links below it"},
                   {"cuts", true, "levels of the hierarchy that separate the two parts"}};
  for (std::size_t m = 0; m < dendrogram.merges.size(); ++m) {
    const Merge& merge = dendrogram.merges[m];
    table.rows.push_back({count_cell(static_cast<Index>(m) + 1), text_cell(part_name(dendrogram, merge.first)),
                          text_cell(part_name(dendrogram, merge.second)), number_cell(merge.distance),
                          count_cell(merge.size), number_cell(merge.inconsistency), count_cell(merge.cuts)});
  }
  return table;
}

}  // namespace

PageSection dendrogram_section(const ModelFacts& facts) {
  if (!facts.dendrogram || facts.dendrogram->dendrogram.classes.size() > kMostDendrogramClasses) return {};
  const DendrogramFile& file = *facts.dendrogram;
  const LearnedTaxonomy learned{.taxonomy = facts.taxonomy,
                                .clusters = file.clusters,
                                .dendrogram = file.dendrogram,
                                .method = file.method,
                                .parameters = {},
                                .notes = {}};
  PageFigure figure;
  figure.name = "dendrogram";
  figure.title = "How the hierarchy was learned";
  figure.explanation =
      "Classes are joined from left to right, the most similar first. Colours are the clusters of the lowest level; "
      "dashed links with a cross were cut.";
  figure.description = "Dendrogram of the classes.";
  figure.numbers = merges_table(file.dendrogram);
  figure.svg = dendrogram_svg(learned, fmt::format("{} clustering of the classes", file.method));
  return {"dendrogram", "Dendrogram", figure_html(figure)};
}

}  // namespace clade
