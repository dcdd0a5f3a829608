#pragma once

#include <clade/conformal.h>
#include <clade/evaluate.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace clade {

// An evaluation for people: measures, reliability of probabilities, levels and confusions; with `all_nodes` also every
// node that occurs and the whole coverage curve.
std::string evaluation_text(const Evaluation& evaluation, const Taxonomy& taxonomy, const EvaluateOptions& options,
                            bool all_nodes);

// Accuracy, hierarchical F1 and mean distance alone.
std::string short_evaluation_text(const Evaluation& evaluation);
nlohmann::json short_evaluation_json(const Evaluation& evaluation);

// {"samples", one key per measure}, numbers or null, each also with the ending _baseline; "baseline" with its labels
// and what they were "chosen_on"; "unknown_labels" ({"labels", "samples", "names"}) if there are any; with intervals
// also MEASURE_low and MEASURE_high; with folds MEASURE_deviation and "folds", a list of {"samples", one key per
// measure}; "method" and "parameters" if a model or a recipe was measured, "selection" ({"method", "parameters"}) if
// the recipe selects features; the members of Reliability by name, null if scores are not probabilities; with
// `breakdown` also the lists "levels", "nodes", "most_frequent_confusions", "most_costly_confusions", "coverage" and
// "notes"; "conformal" (covering_report.h) if answers with a guarantee were measured.
std::string evaluation_json(const Evaluation& evaluation, const Taxonomy& taxonomy, bool breakdown,
                            const std::optional<CoverageEvaluation>& covering = {});

}  // namespace clade
