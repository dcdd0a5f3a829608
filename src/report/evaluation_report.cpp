#include "report/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/covering_report.h"
#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

// What is shown right after training: tie is the mean distance.
constexpr std::string_view kDecisive = "hierarchical_f1";
constexpr std::string_view kShortMeasures[] = {"accuracy", kDecisive, "tie"};

// For people.

using Rows = std::vector<std::vector<std::string>>;

std::string shown_value(std::optional<double> value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

std::string_view source_text(Baseline::Source source) {
  switch (source) {
    case Baseline::Source::kTraining:
      return "training samples";
    case Baseline::Source::kOtherFolds:
      return "other folds";
    case Baseline::Source::kEvaluated:
      break;
  }
  return "evaluated samples";
}

std::string measures_text(const Evaluation& evaluation, const EvaluateOptions& options) {
  const bool has_intervals = !evaluation.intervals.empty();
  const bool has_deviations = !evaluation.deviations.empty();
  Rows rows{{"", "value", "baseline"}};
  if (has_deviations) rows[0].emplace_back("deviation");
  if (has_intervals) rows[0].push_back(fmt::format("{:g} % interval", 100 * options.confidence));
  rows[0].emplace_back("better");
  for (std::size_t m = 0; m < measures().size(); ++m) {
    if (!evaluation.values[m]) continue;  // it does not apply
    std::vector<std::string> row{std::string(measures()[m].name), shown_value(evaluation.values[m]),
                                 shown_value(evaluation.baseline.values[m])};
    if (has_deviations) row.push_back(shown_value(evaluation.deviations[m]));
    if (has_intervals) {
      const auto& interval = evaluation.intervals[m];
      row.push_back(interval ? fmt::format("{:.4f} to {:.4f}", interval->low, interval->high) : "-");
    }
    row.emplace_back(measures()[m].higher_is_better ? "higher" : "lower");
    rows.push_back(std::move(row));
  }
  return aligned_table(rows, 1);
}

// Which labels the baseline gives, and what they were chosen on.
std::string baseline_text(const Baseline& baseline, const Taxonomy& taxonomy) {
  constexpr std::size_t kNamed = 3;
  std::string labels;
  for (std::size_t k = 0; k < std::min(kNamed, baseline.labels.size()); ++k) {
    labels += fmt::format("{}{}", k == 0 ? "" : ", ", taxonomy.name(baseline.labels[k]));
  }
  if (baseline.labels.size() > kNamed) labels += fmt::format(" and {} more", baseline.labels.size() - kNamed);
  return fmt::format("  baseline: every sample gets {}, chosen on the {}\n",
                     labels.empty() ? "the same labels" : labels, source_text(baseline.source));
}

std::vector<std::string> score_cells(const NodeScore& score) {
  return {std::to_string(score.support),  std::to_string(score.predicted), std::to_string(score.correct),
          shown_value(score.precision()), shown_value(score.recall()),     shown_value(score.f1())};
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> score_header(std::vector<std::string> first) {
  return joined(std::move(first), {"true", "predicted", "correct", "precision", "recall", "f1"});
}

std::string levels_text(const Evaluation& evaluation) {
  Rows rows{score_header({"level", "samples", "right"})};
  for (const LevelScore& level : evaluation.levels) {
    const std::optional<double> right =
        level.samples == 0 ? std::nullopt
                           : std::optional(static_cast<double>(level.right) / static_cast<double>(level.samples));
    rows.push_back(joined({std::to_string(level.level), std::to_string(level.samples), shown_value(right)},
                          score_cells(level.total)));
  }
  return "\nby level (nodes with their ancestors; right: all nodes of the level)\n" + aligned_table(rows, 0);
}

std::string nodes_text(const Evaluation& evaluation, const Taxonomy& taxonomy) {
  Rows rows{score_header({"node", "level"})};
  for (const NodeScore& node : evaluation.nodes) {
    if (node.support + node.predicted == 0) continue;
    rows.push_back(joined({taxonomy.name(node.node), std::to_string(taxonomy.depth(node.node))}, score_cells(node)));
  }
  return "\nby node\n" + aligned_table(rows, 1);
}

std::string confusions_text(std::string_view title, const std::vector<Confusion>& confusions,
                            const Taxonomy& taxonomy) {
  if (confusions.empty()) return {};
  Rows rows{{"true", "predicted", "count", "distance", "cost"}};
  for (const Confusion& confusion : confusions) {
    rows.push_back({taxonomy.name(confusion.truth), taxonomy.name(confusion.predicted), std::to_string(confusion.count),
                    std::to_string(confusion.distance), std::to_string(confusion.cost())});
  }
  return fmt::format("\n{}\n{}", title, aligned_table(rows, 2));
}

std::string reliability_text(const std::optional<Reliability>& reliability) {
  if (!reliability) return {};
  const Reliability& r = *reliability;
  const Rows rows{{"expected_calibration_error", shown_value(r.expected_calibration_error), "lower"},
                  {"adaptive_calibration_error", shown_value(r.adaptive_calibration_error), "lower"},
                  {"maximum_calibration_error", shown_value(r.maximum_calibration_error), "lower"},
                  {"brier_score", shown_value(r.brier_score), "lower"},
                  {"accuracy_coverage_area", shown_value(r.accuracy_coverage_area), "higher"}};
  std::string text = "\nscores of first labels as probabilities\n" + aligned_table(rows, 1);
  if (!r.node_calibration_error) return text;
  const Rows of_nodes{{"node_calibration_error", shown_value(*r.node_calibration_error), "lower"},
                      {"pair_calibration_error", shown_value(*r.pair_calibration_error), "lower"}};
  return text + "\nscores of nodes as probabilities: of the predicted ones, and of all\n" + aligned_table(of_nodes, 1);
}

std::string coverage_text(const std::optional<Reliability>& reliability) {
  if (!reliability) return {};
  Rows rows{{"score from", "answered", "coverage", "accuracy", "hierarchical_f1"}};
  for (const CoveragePoint& point : reliability->coverage) {
    rows.push_back({shown_value(point.threshold), std::to_string(point.answered), shown_value(point.coverage),
                    shown_value(point.accuracy), shown_value(point.hierarchical_f1)});
  }
  return "\nif only samples with a first score from some threshold are answered\n" + aligned_table(rows, 0);
}

// For programs.

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
  const auto add_of_nodes = [&](const char* name, std::optional<double> Reliability::* member) {
    document[name] = reliability ? number_or_null((*reliability).*member) : json(nullptr);
  };
  add_of_nodes("node_calibration_error", &Reliability::node_calibration_error);
  add_of_nodes("pair_calibration_error", &Reliability::pair_calibration_error);
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

json baseline_json(const Baseline& baseline, const Taxonomy& taxonomy) {
  json labels = json::array();
  for (const NodeId label : baseline.labels) labels.push_back(taxonomy.name(label));
  json document = {{"labels", std::move(labels)}, {"chosen_on", source_text(baseline.source)}};
  for (std::size_t m = 0; m < measures().size(); ++m) {
    document[std::string(measures()[m].name)] = number_or_null(baseline.values[m]);
  }
  return document;
}

json folds_json(const std::vector<FoldScore>& folds) {
  json list = json::array();
  for (const FoldScore& fold : folds) {
    json entry = {{"samples", fold.samples}};
    for (std::size_t m = 0; m < measures().size(); ++m) {
      entry[std::string(measures()[m].name)] = number_or_null(fold.values[m]);
    }
    list.push_back(std::move(entry));
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

std::string evaluation_text(const Evaluation& evaluation, const Taxonomy& taxonomy, const EvaluateOptions& options,
                            bool all_nodes) {
  std::string text = measures_text(evaluation, options) + baseline_text(evaluation.baseline, taxonomy) +
                     reliability_text(evaluation.reliability);
  text += levels_text(evaluation);
  if (all_nodes) text += nodes_text(evaluation, taxonomy) + coverage_text(evaluation.reliability);
  text += confusions_text("most frequent confusions", evaluation.most_frequent, taxonomy);
  text += confusions_text("most costly confusions (count x distance)", evaluation.most_costly, taxonomy);
  return text;
}

std::string short_evaluation_text(const Evaluation& evaluation) {
  Rows rows{{"", "value", "baseline", "better"}};
  bool is_better = true;
  for (std::size_t m = 0; m < measures().size(); ++m) {
    if (std::ranges::find(kShortMeasures, measures()[m].name) == std::end(kShortMeasures)) continue;
    if (measures()[m].name == kDecisive) is_better = evaluation.values[m] > evaluation.baseline.values[m];
    rows.push_back({std::string(measures()[m].name), shown_value(evaluation.values[m]),
                    shown_value(evaluation.baseline.values[m]), measures()[m].higher_is_better ? "higher" : "lower"});
  }
  std::string text = aligned_table(rows, 1);
  if (!is_better) text += fmt::format("  {} is not above the baseline, which ignores the features\n", kDecisive);
  return text;
}

nlohmann::json short_evaluation_json(const Evaluation& evaluation) {
  json document = {{"samples", evaluation.samples}};
  for (std::size_t m = 0; m < measures().size(); ++m) {
    const std::string name(measures()[m].name);
    if (std::ranges::find(kShortMeasures, name) == std::end(kShortMeasures)) continue;
    document[name] = number_or_null(evaluation.values[m]);
    document[name + "_baseline"] = number_or_null(evaluation.baseline.values[m]);
  }
  return document;
}

std::string evaluation_json(const Evaluation& evaluation, const Taxonomy& taxonomy, bool breakdown,
                            const std::optional<CoverageEvaluation>& covering) {
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
  if (!evaluation.folds.empty()) document["folds"] = folds_json(evaluation.folds);
  if (evaluation.method) {
    document["method"] = evaluation.method->name;
    document["parameters"] = parameter_values(evaluation.method->parameters);
  }
  document["baseline"] = baseline_json(evaluation.baseline, taxonomy);
  if (evaluation.unknown.labels > 0) {
    document["unknown_labels"] = {{"labels", evaluation.unknown.labels},
                                  {"samples", evaluation.unknown.samples},
                                  {"names", evaluation.unknown.names}};
  }
  if (evaluation.selection) {
    document["selection"] = {{"method", evaluation.selection->name},
                             {"parameters", parameter_values(evaluation.selection->parameters)}};
  }
  if (covering) document["conformal"] = covering_json(*covering);
  if (breakdown) add_breakdown(document, evaluation, taxonomy);
  return json_text(document);
}

}  // namespace clade
