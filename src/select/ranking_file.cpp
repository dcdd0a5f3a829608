#include "select/ranking_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/output_file.h"
#include "io/json_input.h"

namespace clade {

using nlohmann::json;

json ranking_json(const FeatureRanking& ranking, const Dataset& data) {
  json parameters = json::object();
  for (const auto& [name, text] : ranking.parameters) parameters[name] = json_or_string(text);
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
  json document = {{"method", ranking.method},
                   {"parameters", std::move(parameters)},
                   {"features", std::move(features)},
                   {"objective", ranking.objective},
                   {"gap", ranking.gap ? json(*ranking.gap) : json(nullptr)},
                   {"seconds", ranking.seconds},
                   {"notes", ranking.notes},
                   {"nodes", std::move(nodes)}};
  for (const auto& [name, values] : ranking.residuals) document["residuals"][name] = values;
  return document;
}

FeatureRanking read_ranking(const std::string& path, const Dataset& data, Context& ctx) {
  const json document = parse_json(Input::open(path, ctx));
  const auto fail = [&](const std::string& what, const std::string& expected) -> Error {
    return input_error({.file = path}, what, expected);
  };
  FeatureRanking ranking;
  try {
    const json& features = document.at("features");
    if (std::ssize(features) != data.features()) {
      throw fail(fmt::format("ranks {} features, the data have {}", features.size(), data.features()),
                 "expected a ranking made on the same features");
    }
    for (std::size_t f = 0; f < features.size(); ++f) {
      const std::string name = data.feature_name(static_cast<FeatureIndex>(f));
      if (features[f].get<std::string>() == name) continue;
      throw fail(fmt::format("feature {} is '{}', in the data '{}'", f + 1, features[f].get<std::string>(), name),
                 "expected a ranking made on the same features");
    }
    ranking.method = document.value("method", "");
    for (const json& entry : document.at("nodes")) {
      NodeRanking& node = ranking.nodes.emplace_back();
      const auto name = entry.at("node").get<std::string>();
      if (name != "*") {
        const auto known = data.taxonomy().find(name);
        if (!known) throw fail(fmt::format("no node '{}' in the hierarchy", name), "expected a ranking made over it");
        node.node = *known;
      }
      node.ranking = entry.at("ranking").get<std::vector<FeatureIndex>>();
      std::vector<char> is_seen(static_cast<std::size_t>(data.features()), 0);
      for (const FeatureIndex f : node.ranking) {
        if (f < 0 || f >= data.features() || is_seen[static_cast<std::size_t>(f)]++ != 0) {
          throw fail(fmt::format("node '{}': feature {} is out of range or ranked twice", name, f),
                     "expected 0-based features, each once");
        }
      }
    }
  } catch (const json::exception&) {
    throw fail("this is no ranking", "expected what clade select writes");
  }
  return ranking;
}

void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  file.write(dump_json(ranking_json(ranking, data)) + "\n");
  file.commit();
}

}  // namespace clade
