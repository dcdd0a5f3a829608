#include "select/ranking_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/output_file.h"
#include "io/csv/csv_record.h"
#include "io/json_input.h"
#include "io/lines.h"

namespace clade {

using nlohmann::json;

namespace {

json tuning_json(const SelectTuning& tuning) {
  json settings = json::array();
  for (const SelectTuning::Setting& setting : tuning.settings) {
    json parameters = json::object();
    for (const auto& [name, text] : setting.parameters) parameters[name] = json_or_string(text);
    settings.push_back({{"parameters", std::move(parameters)},
                        {"value", setting.value ? json(*setting.value) : json(nullptr)},
                        {"problem", setting.problem}});
  }
  return {{"criterion", tuning.criterion},
          {"features", tuning.features},
          {"settings", std::move(settings)},
          {"chosen", tuning.chosen}};
}

}  // namespace

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
  if (ranking.tuning) document["tuning"] = tuning_json(*ranking.tuning);
  for (const auto& [name, values] : ranking.residuals) document["residuals"][name] = values;
  return document;
}

namespace {

constexpr std::string_view kSpecialInCsv = ",\"\r\n";

Error no_ranking(const std::string& path, const std::string& problem) {
  return input_error({.file = path}, problem, "expected what clade select writes");
}

std::vector<FeatureIndex> ranked_features(const json& list, std::size_t features, const std::string& node,
                                          const std::string& path) {
  auto ranking = list.get<std::vector<FeatureIndex>>();
  std::vector<char> is_seen(features, 0);
  for (const FeatureIndex f : ranking) {
    const bool is_known = f >= 0 && static_cast<std::size_t>(f) < features;
    if (is_known && is_seen[static_cast<std::size_t>(f)]++ == 0) continue;
    throw input_error({.file = path}, fmt::format("node '{}': feature {} is out of range or ranked twice", node, f),
                      "expected 0-based features, each once");
  }
  return ranking;
}

std::vector<std::pair<std::string, std::string>> parameter_texts(const json& parameters) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : parameters.items()) {
    texts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return texts;
}

std::optional<double> optional_number(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

SelectTuning tuning_of(const json& document, const std::string& path) {
  SelectTuning tuning{.criterion = document.at("criterion").get<std::string>(),
                      .features = document.at("features").get<Index>()};
  for (const json& setting : document.at("settings")) {
    tuning.settings.push_back({parameter_texts(setting.at("parameters")), optional_number(setting.at("value")),
                               setting.at("problem").get<std::string>()});
  }
  tuning.chosen = document.at("chosen").get<std::size_t>();
  if (tuning.chosen >= tuning.settings.size()) throw no_ranking(path, "no setting with the number of the chosen one");
  return tuning;
}

std::string ranking_csv(const FeatureRanking& ranking, const Dataset& data) {
  std::string text = "node,rank,feature,weight\n";
  for (const NodeRanking& node : ranking.nodes) {
    const std::string name = node.node == kNoNode ? "*" : data.taxonomy().name(node.node);
    for (std::size_t k = 0; k < node.ranking.size(); ++k) {
      append_csv_field(text, name, kSpecialInCsv);
      text += fmt::format(",{},", k + 1);
      append_csv_field(text, data.feature_name(node.ranking[k]), kSpecialInCsv);
      text += fmt::format(",{}\n", node.weight[k]);
    }
  }
  return text;
}

}  // namespace

bool is_ranking_file(const std::string& path, Context& ctx) {
  std::error_code ignored;
  if (!without_compression_ending(path).ends_with(".json") || !std::filesystem::is_regular_file(path, ignored)) {
    return false;
  }
  const Input input = Input::open(path, ctx);
  const auto has = [text = input.bytes()](std::string_view key) { return text.find(key) != std::string_view::npos; };
  return trim(input.bytes().substr(0, 64)).starts_with('{') && has("\"features\"") && has("\"nodes\"") &&
         has("\"ranking\"");
}

RankingFile read_ranking_file(const std::string& path, Context& ctx) {
  if (without_compression_ending(path).ends_with(".csv")) {
    throw input_error({.file = path}, "a ranking as CSV is for other programs to read",
                      "expected the JSON file that clade select writes: -o ranking.json");
  }
  const json document = parse_json(Input::open(path, ctx));
  RankingFile file;
  try {
    file.features = document.at("features").get<std::vector<std::string>>();
    file.method = document.value("method", "");
    file.parameters = parameter_texts(document.value("parameters", json::object()));
    file.objective = document.value("objective", file.objective);
    file.gap = optional_number(document.value("gap", json()));
    const json residuals = document.value("residuals", json::object());
    for (const auto& [name, values] : residuals.items()) {
      file.residuals.emplace_back(name, values.get<std::vector<double>>());
    }
    if (document.contains("tuning")) file.tuning = tuning_of(document["tuning"], path);
    file.notes = document.value("notes", file.notes);
    for (const json& entry : document.at("nodes")) {
      RankingFile::Node& node = file.nodes.emplace_back();
      node.name = entry.at("node").get<std::string>();
      node.samples = entry.value("samples", Index{0});
      node.children = entry.value("children", Index{0});
      node.ranking = ranked_features(entry.at("ranking"), file.features.size(), node.name, path);
      node.weight = entry.value("weight", std::vector<double>());
      if (!node.weight.empty() && node.weight.size() != node.ranking.size()) {
        throw no_ranking(path, fmt::format("node '{}': {} weights of {} features", node.name, node.weight.size(),
                                           node.ranking.size()));
      }
      node.common = ranked_features(entry.value("common", json::array()), file.features.size(), node.name, path);
    }
  } catch (const json::exception&) {
    throw no_ranking(path, "this is no ranking");
  }
  return file;
}

FeatureRanking read_ranking(const std::string& path, const Dataset& data, Context& ctx) {
  return read_ranking(path, data, data.taxonomy(), ctx);
}

FeatureRanking read_ranking(const std::string& path, const Dataset& data, const Taxonomy& taxonomy, Context& ctx) {
  RankingFile file = read_ranking_file(path, ctx);
  const auto fail = [&](const std::string& what, const std::string& expected) -> Error {
    return input_error({.file = path}, what, expected);
  };
  if (std::ssize(file.features) != data.features()) {
    throw fail(fmt::format("ranks {} features, the data have {}", file.features.size(), data.features()),
               "expected a ranking made on the same features");
  }
  for (std::size_t f = 0; f < file.features.size(); ++f) {
    const std::string name = data.feature_name(static_cast<FeatureIndex>(f));
    if (file.features[f] == name) continue;
    throw fail(fmt::format("feature {} is '{}', in the data '{}'", f + 1, file.features[f], name),
               "expected a ranking made on the same features");
  }
  FeatureRanking ranking;
  ranking.method = file.method;
  for (RankingFile::Node& entry : file.nodes) {
    NodeRanking& node = ranking.nodes.emplace_back();
    node.ranking = std::move(entry.ranking);
    node.weight = std::move(entry.weight);
    node.common = std::move(entry.common);
    if (entry.name == "*") continue;
    const auto known = taxonomy.find(entry.name);
    if (!known) throw fail(fmt::format("no node '{}' in the hierarchy", entry.name), "expected a ranking made over it");
    node.node = *known;
  }
  return ranking;
}

void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  if (path.ends_with(".csv")) {
    file.write(ranking_csv(ranking, data));
  } else {
    json document = ranking_json(ranking, data);
    document.erase("seconds");
    file.write(dump_json(document) + "\n");
  }
  file.commit();
}

}  // namespace clade
