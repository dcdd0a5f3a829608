#include <nlohmann/json.hpp>

#include "report/evaluation_report.h"

namespace clade {
namespace {

using nlohmann::json;

json number_or_null(std::optional<double> value) {
  return value ? json(*value) : json(nullptr);
}

void add_scores(json& document, const NodeScore& score) {
  document["support"] = score.support;
  document["predicted"] = score.predicted;
  document["correct"] = score.correct;
  document["precision"] = number_or_null(score.precision());
  document["recall"] = number_or_null(score.recall());
  document["f1"] = number_or_null(score.f1());
}

json confusions_json(const std::vector<Confusion>& confusions, const Taxonomy& taxonomy) {
  json list = json::array();
  for (const Confusion& confusion : confusions) {
    list.push_back({{"true", taxonomy.name(confusion.truth)},
                    {"predicted", taxonomy.name(confusion.predicted)},
                    {"count", confusion.count},
                    {"distance", confusion.distance},
                    {"cost", confusion.cost()}});
  }
  return list;
}

// Null where scores are not probabilities.
void add_reliability(json& document, const std::optional<Reliability>& reliability) {
  const auto add = [&](const char* name, double Reliability::* member) {
    document[name] = reliability ? json((*reliability).*member) : json(nullptr);
  };
  add("expected_calibration_error", &Reliability::expected_calibration_error);
  add("adaptive_calibration_error", &Reliability::adaptive_calibration_error);
  add("maximum_calibration_error", &Reliability::maximum_calibration_error);
  add("brier_score", &Reliability::brier_score);
  add("accuracy_coverage_area", &Reliability::accuracy_coverage_area);
}

json coverage_json(const std::optional<Reliability>& reliability) {
  json list = json::array();
  if (!reliability) return list;
  for (const CoveragePoint& point : reliability->coverage) {
    list.push_back({{"threshold", point.threshold},
                    {"answered", point.answered},
                    {"coverage", point.coverage},
                    {"accuracy", point.accuracy},
                    {"hierarchical_f1", point.hierarchical_f1}});
  }
  return list;
}

void add_breakdown(json& document, const Evaluation& evaluation, const Taxonomy& taxonomy) {
  document["levels"] = json::array();
  for (const LevelScore& level : evaluation.levels) {
    json entry = {{"level", level.level}, {"samples", level.samples}, {"right", level.right}};
    add_scores(entry, level.total);
    document["levels"].push_back(std::move(entry));
  }
  document["nodes"] = json::array();
  for (const NodeScore& node : evaluation.nodes) {
    json entry = {{"node", taxonomy.name(node.node)}, {"level", taxonomy.depth(node.node)}};
    add_scores(entry, node);
    document["nodes"].push_back(std::move(entry));
  }
  document["most_frequent_confusions"] = confusions_json(evaluation.most_frequent, taxonomy);
  document["most_costly_confusions"] = confusions_json(evaluation.most_costly, taxonomy);
  document["coverage"] = coverage_json(evaluation.reliability);
  document["notes"] = evaluation.notes;
}

}  // namespace

json evaluation_json(const Evaluation& evaluation, const Taxonomy& taxonomy, bool breakdown) {
  json document = {{"samples", evaluation.samples}};
  for (std::size_t m = 0; m < measures().size(); ++m) {
    const std::string name(measures()[m].name);
    document[name] = number_or_null(evaluation.values[m]);
    if (!evaluation.intervals.empty()) {
      const auto& interval = evaluation.intervals[m];
      document[name + "_low"] = interval ? json(interval->low) : json(nullptr);
      document[name + "_high"] = interval ? json(interval->high) : json(nullptr);
    }
    if (!evaluation.deviations.empty()) document[name + "_deviation"] = number_or_null(evaluation.deviations[m]);
  }
  add_reliability(document, evaluation.reliability);
  if (breakdown) add_breakdown(document, evaluation, taxonomy);
  return document;
}

}  // namespace clade
