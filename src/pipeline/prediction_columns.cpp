#include "pipeline/prediction_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "io/number.h"

namespace clade {
namespace {

std::string cell_of(const nlohmann::json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

std::string number_text(double number) {
  std::string text;
  append_number(text, number);
  return text;
}

}  // namespace

ExtraColumns extra_columns(const PredictionColumns& columns, const Taxonomy& taxonomy) {
  constexpr std::array<std::string_view, 4> kOwn = {"sample", "rank", "label", "score"};
  ExtraColumns extra;
  for (Index level = 1; level <= columns.level_count; ++level) {
    extra.names.push_back(fmt::format("level_{}", level));
    extra.names.push_back(fmt::format("level_{}_probability", level));
  }
  if (columns.coverage) extra.names.emplace_back("coverage");
  for (const std::string& name : columns.kept_names) {
    const bool is_taken =
        std::ranges::find(kOwn, name) != kOwn.end() || std::ranges::find(extra.names, name) != extra.names.end();
    extra.names.push_back(is_taken ? "input_" + name : name);
  }
  extra.cells = [&columns, &taxonomy](Index sample, Index place) {
    std::vector<std::string> cells;
    for (Index level = 0; level < columns.level_count; ++level) {
      const auto& path = columns.levels[static_cast<std::size_t>(place)];
      const bool has_level = level < std::ssize(path);
      const auto at = static_cast<std::size_t>(level);
      cells.push_back(has_level ? taxonomy.name(path[at].node) : std::string());
      cells.push_back(has_level ? number_text(path[at].probability) : std::string());
    }
    if (columns.coverage) cells.push_back(number_text(*columns.coverage));
    if (columns.kept_names.empty()) return cells;
    for (const nlohmann::json& value : columns.kept[static_cast<std::size_t>(sample)]) cells.push_back(cell_of(value));
    return cells;
  };
  return extra;
}

void write_json_lines(const Predictions& predictions, const Dataset& data, const PredictionColumns& columns,
                      Sink& sink) {
  for (Index s = 0; s < data.samples(); ++s) {
    nlohmann::json labels = nlohmann::json::array();
    for (std::size_t k = 0; k < predictions.labels_of(s).size(); ++k) {
      nlohmann::json label{{"label", data.taxonomy().name(predictions.labels_of(s)[k])},
                           {"score", predictions.scores_of(s)[k]}};
      if (!columns.levels.empty()) {
        label["levels"] = nlohmann::json::array();
        const auto place = static_cast<std::size_t>(predictions.offsets[static_cast<std::size_t>(s)]) + k;
        for (const LevelAnswer& answer : columns.levels[place]) {
          label["levels"].push_back(
              {{"label", data.taxonomy().name(answer.node)}, {"probability", answer.probability}});
        }
      }
      labels.push_back(std::move(label));
    }
    nlohmann::json row{{"sample", data.sample_name(s)}, {"labels", std::move(labels)}};
    if (columns.coverage) row["coverage"] = *columns.coverage;
    for (std::size_t c = 0; c < columns.kept_names.size(); ++c) {
      row["kept"][columns.kept_names[c]] = columns.kept[static_cast<std::size_t>(s)][c];
    }
    sink.write(dump_json(row) + "\n");
  }
}

}  // namespace clade
