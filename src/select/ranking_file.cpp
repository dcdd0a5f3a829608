#include "select/ranking_file.h"

#include <nlohmann/json.hpp>

#include "core/output_file.h"

namespace clade {

using nlohmann::json;

json ranking_json(const FeatureRanking& ranking, const Dataset& data) {
  json parameters = json::object();
  for (const auto& [name, text] : ranking.parameters) {
    const json value = json::parse(text, nullptr, false);
    parameters[name] = value.is_discarded() ? json(text) : value;
  }
  json features = json::array();
  for (Index f = 0; f < data.features(); ++f) features.push_back(data.feature_name(static_cast<FeatureIndex>(f)));
  json nodes = json::array();
  for (const NodeRanking& node : ranking.nodes) {
    nodes.push_back({{"node", node.node == kNoNode ? "*" : data.taxonomy().name(node.node)},
                     {"samples", node.samples},
                     {"children", node.children},
                     {"ranking", node.ranking},
                     {"weight", node.weight}});
    if (!node.common.empty()) nodes.back()["common"] = node.common;
  }
  return {{"method", ranking.method},
          {"parameters", std::move(parameters)},
          {"features", std::move(features)},
          {"objective", ranking.objective},
          {"gap", ranking.gap ? json(*ranking.gap) : json(nullptr)},
          {"seconds", ranking.seconds},
          {"notes", ranking.notes},
          {"nodes", std::move(nodes)}};
}

void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  file.write(ranking_json(ranking, data).dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace clade
