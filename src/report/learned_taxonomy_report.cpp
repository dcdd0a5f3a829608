#include "report/learned_taxonomy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/text.h"
#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::size_t kShownClusters = 60;
constexpr std::size_t kShownClasses = 8;  // per cluster

json clusters_json(const LearnedTaxonomy& learned) {
  json clusters = json::array();
  for (const ClassCluster& cluster : learned.clusters) {
    clusters.push_back({{"name", cluster.name}, {"parent", cluster.parent}, {"classes", cluster.classes}});
  }
  return clusters;
}

// Leaves directly below the root.
std::vector<std::string> lone_classes(const Taxonomy& taxonomy) {
  std::vector<std::string> names;
  for (const NodeId child : taxonomy.children(taxonomy.root())) {
    if (taxonomy.is_leaf(child)) names.push_back(taxonomy.name(child));
  }
  return names;
}

}  // namespace

std::string learned_taxonomy_text(const LearnedTaxonomy& learned, const Dataset& data) {
  const Taxonomy& taxonomy = learned.taxonomy;
  std::string text = fmt::format(
      "{} on {} x {}, {}, {:.2f} s\n", learned.method, counted(static_cast<std::size_t>(data.samples()), "sample"),
      counted(static_cast<std::size_t>(data.features()), "feature"),
      taxonomy.leaves().size() == 1 ? "1 class" : fmt::format("{} classes", taxonomy.leaves().size()), learned.seconds);
  text += fmt::format("tree of {} with {}", counted(static_cast<std::size_t>(taxonomy.levels()), "level"),
                      counted(learned.clusters.size(), "cluster"));
  if (learned.dendrogram.threshold) {
    text += fmt::format("; links cut above inconsistency {:.4f}", *learned.dendrogram.threshold);
  }
  text += "\n";
  std::vector<std::vector<std::string>> rows{{"cluster", "classes", "holds"}};
  for (const ClassCluster& cluster : learned.clusters) {
    if (rows.size() > kShownClusters) break;
    rows.push_back({cluster.name, std::to_string(cluster.classes.size()), short_list(cluster.classes, kShownClasses)});
  }
  const std::vector<std::string> alone = lone_classes(taxonomy);
  if (!alone.empty()) rows.push_back({"(none)", std::to_string(alone.size()), short_list(alone, kShownClasses)});
  text += "\n" + aligned_table(rows, 1, 2);
  if (learned.clusters.size() > kShownClusters) {
    text += fmt::format("  ... {}\n", counted(learned.clusters.size() - kShownClusters, "more cluster"));
  }
  return text;
}

std::string learned_taxonomy_json(const LearnedTaxonomy& learned, const Dataset& data,
                                  const std::vector<std::string>& files) {
  return json_text({{"method", learned.method},
                    {"parameters", parameter_values(learned.parameters)},
                    {"samples", data.samples()},
                    {"features", data.features()},
                    {"classes", learned.taxonomy.leaves().size()},
                    {"nodes", learned.taxonomy.size()},
                    {"height", learned.taxonomy.levels()},
                    {"threshold", number_or_null(learned.dendrogram.threshold)},
                    {"clusters", clusters_json(learned)},
                    {"notes", learned.notes},
                    {"memory", learned.memory},
                    {"seconds", learned.seconds},
                    {"files", files}});
}

std::string dendrogram_json(const LearnedTaxonomy& learned) {
  const Dendrogram& dendrogram = learned.dendrogram;
  json classes = json::array();
  for (std::size_t k = 0; k < dendrogram.classes.size(); ++k) {
    classes.push_back({{"name", dendrogram.classes[k]}, {"samples", dendrogram.samples[k]}});
  }
  json merges = json::array();
  for (const Merge& merge : dendrogram.merges) {
    merges.push_back({{"parts", {merge.first, merge.second}},
                      {"distance", merge.distance},
                      {"size", merge.size},
                      {"inconsistency", merge.inconsistency},
                      {"cut", merge.cuts > 0},
                      {"cuts", merge.cuts}});
  }
  const json document{{"method", learned.method},
                      {"parameters", parameter_values(learned.parameters)},
                      {"classes", std::move(classes)},
                      {"merges", std::move(merges)},
                      {"threshold", number_or_null(dendrogram.threshold)},
                      {"levels", dendrogram.levels},
                      {"clusters", clusters_json(learned)}};
  return dump_json(document) + "\n";
}

}  // namespace clade
