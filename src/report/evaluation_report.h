#pragma once

#include <clade/evaluate.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clade {

// An evaluation for people: measures, levels, confusions, and with `all_nodes` every node that occurs.
std::string evaluation_text(const Evaluation& evaluation, const Taxonomy& taxonomy, const EvaluateOptions& options,
                            bool all_nodes);

// {"samples", one key per measure}, numbers or null; with intervals also MEASURE_low and MEASURE_high, with folds
// MEASURE_deviation; with `breakdown` also the lists "levels", "nodes", "most_frequent_confusions",
// "most_costly_confusions" and "notes".
nlohmann::json evaluation_json(const Evaluation& evaluation, const Taxonomy& taxonomy, bool breakdown);

}  // namespace clade
