#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/data_report.h"
#include "report/json_text.h"
#include "report/text_table.h"
#include "select/ranking_file.h"

namespace clade {
namespace {

constexpr std::size_t kShownFeatures = 8;
constexpr std::size_t kShownNodes = 60;
constexpr int kNameWidth = 24;  // cells of a terminal

using Best = std::map<NodeId, std::set<FeatureIndex>>;

// The mean share of a node's best features that it has in common with some other nodes.
std::string overlap(const Best& best, NodeId node, const std::vector<NodeId>& others) {
  double sum = 0;
  double count = 0;
  const auto& mine = best.at(node);
  for (const NodeId other : others) {
    const auto found = best.find(other);
    if (found == best.end()) continue;
    const auto common =
        std::count_if(mine.begin(), mine.end(), [&](FeatureIndex f) { return found->second.contains(f); });
    sum += static_cast<double>(common) / static_cast<double>(mine.size());
    ++count;
  }
  return count > 0 ? fmt::format("{:.0f} %", 100 * sum / count) : "-";
}

std::string best_features(const RankingFile& file, const RankingFile::Node& node) {
  std::string text;
  for (std::size_t k = 0; k < std::min(kShownFeatures, node.ranking.size()); ++k) {
    text += (k > 0 ? ", " : "") + shortened(file.features[static_cast<std::size_t>(node.ranking[k])], kNameWidth);
  }
  return text;
}

// The settings that were tried, in their order.
std::string tuning_text(const SelectTuning& tuning) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& [name, value] : tuning.settings.front().parameters) rows.front().push_back(name);
  rows.front().push_back(tuning.criterion);
  rows.front().emplace_back("");
  for (std::size_t k = 0; k < tuning.settings.size(); ++k) {
    const SelectTuning::Setting& setting = tuning.settings[k];
    auto& row = rows.emplace_back();
    for (const auto& [name, value] : setting.parameters) row.push_back(value);
    row.push_back(setting.value ? fmt::format("{:.4f}", *setting.value) : "-");
    row.push_back(k == tuning.chosen ? "chosen" : setting.problem);
  }
  return fmt::format("parameters by {} of the best {}:\n\n", tuning.criterion,
                     counted(static_cast<std::size_t>(tuning.features), "feature")) +
         aligned_table(rows, 0, rows.front().size() - 1);
}

}  // namespace

std::string ranking_text(const FeatureRanking& ranking, const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::string text = fmt::format("{} on {} x {}, {}, {:.2f} s\n", ranking.method,
                                 counted(static_cast<std::size_t>(data.samples()), "sample"),
                                 counted(static_cast<std::size_t>(data.features()), "feature"),
                                 counted(ranking.nodes.size(), "node"), ranking.seconds);
  if (!ranking.objective.empty()) {
    text += fmt::format("objective {:.6g} after {}\n", ranking.objective.back(),
                        counted(ranking.objective.size(), "iteration"));
  }
  Best best;
  const auto compared = static_cast<std::size_t>(std::max<Index>(1, data.features() / 10));
  for (const NodeRanking& node : ranking.nodes) {
    const std::size_t size = std::min(compared, node.ranking.size());
    best[node.node] = {node.ranking.begin(), node.ranking.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  std::vector<std::vector<std::string>> rows{{"node", "samples", "children", "parent", "siblings", "best features"}};
  for (const NodeRanking& node : ranking.nodes) {
    if (rows.size() > kShownNodes) break;
    const bool is_whole = node.node == kNoNode;
    std::string features;
    for (std::size_t k = 0; k < std::min(kShownFeatures, node.ranking.size()); ++k) {
      features += (k > 0 ? ", " : "") + shortened(data.feature_name(node.ranking[k]), kNameWidth);
    }
    std::vector<NodeId> parents;
    std::vector<NodeId> siblings;
    if (!is_whole) {
      parents.assign(taxonomy.parents(node.node).begin(), taxonomy.parents(node.node).end());
      siblings = taxonomy.siblings(node.node);
    }
    rows.push_back({is_whole ? "*" : shortened(taxonomy.name(node.node), kNameWidth), std::to_string(node.samples),
                    is_whole && node.children == 0 ? "-" : std::to_string(node.children),
                    overlap(best, node.node, parents), overlap(best, node.node, siblings), features});
  }
  text += "\n" + aligned_table(rows, 1, rows.front().size() - 1);
  if (ranking.nodes.size() > kShownNodes)
    text += fmt::format("  ... {}\n", counted(ranking.nodes.size() - kShownNodes, "more node"));
  text += compared == 1
              ? "\nparent, siblings: share of them that have the same best feature\n"
              : fmt::format("\nparent, siblings: share of the best {} features that are among theirs, too\n", compared);
  return ranking.tuning ? text + "\n" + tuning_text(*ranking.tuning) : text;
}

std::string ranking_file_text(const std::string& path, Context& ctx) {
  const RankingFile file = read_ranking_file(path, ctx);
  std::string text = fmt::format("{} (ranking)\n{}, {}, {}\n", path, file.method,
                                 counted(file.features.size(), "feature"), counted(file.nodes.size(), "node"));
  for (const auto& [name, value] : file.parameters) text += fmt::format("  {}  {}\n", name, value);
  std::vector<std::vector<std::string>> rows{{"node", "samples", "children", "features", "best features"}};
  for (const RankingFile::Node& node : file.nodes) {
    if (rows.size() > kShownNodes) break;
    rows.push_back({shortened(node.name, kNameWidth), std::to_string(node.samples), std::to_string(node.children),
                    std::to_string(node.ranking.size()), best_features(file, node)});
  }
  text += "\n" + aligned_table(rows, 1, rows.front().size() - 1);
  if (file.nodes.size() > kShownNodes) {
    text += fmt::format("  ... {}\n", counted(file.nodes.size() - kShownNodes, "more node"));
  }
  return text + titled_list("notes", file.notes);
}

std::string ranking_file_json(const std::string& path, Context& ctx) {
  using nlohmann::json;
  const RankingFile file = read_ranking_file(path, ctx);
  json nodes = json::array();
  for (const RankingFile::Node& node : file.nodes) {
    json best = json::array();
    for (std::size_t k = 0; k < std::min(kShownFeatures, node.ranking.size()); ++k) {
      best.push_back(file.features[static_cast<std::size_t>(node.ranking[k])]);
    }
    nodes.push_back(
        {{"node", node.name}, {"samples", node.samples}, {"children", node.children}, {"best", std::move(best)}});
  }
  return json_text({{"format", "ranking"},
                    {"method", file.method},
                    {"parameters", parameter_values(file.parameters)},
                    {"features", file.features.size()},
                    {"notes", file.notes},
                    {"nodes", std::move(nodes)}});
}

std::string ranking_json_text(const FeatureRanking& ranking, const Dataset& data) {
  return json_text(ranking_json(ranking, data));
}

}  // namespace clade
