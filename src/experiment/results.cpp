#include "experiment/results.h"

#include <clade/io.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/json.h"
#include "experiment/prediction_files.h"
#include "experiment/run_facts.h"

namespace clade {
namespace {

using Json = nlohmann::json;

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r;\t") == std::string::npos && (text.empty() || text.front() != ' ')) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// Names in the order in which they come.
class NameOrder {
 public:
  std::size_t place(const std::string& name) {
    const auto [entry, is_new] = places_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return entry->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Adds the folds of a cell; several cells of the same repeat become their mean.
void add_paired(std::map<std::pair<Index, Index>, std::vector<double>>& paired, Index repeat, Index fold,
                double value) {
  paired[{repeat, fold}].push_back(value);
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json comparison_part(const MeasuredMethods& measured, const MethodTests& tests) {
  Json document{{"measure", measured.measure}, {"higher_is_better", measured.higher_is_better}};
  if (!tests.note.empty()) document["note"] = tests.note;
  Json folds = Json::array();
  for (const FoldComparison& pair : tests.folds) {
    folds.push_back({{"dataset", measured.datasets[pair.dataset]},
                     {"a", measured.methods[pair.a]},
                     {"b", measured.methods[pair.b]},
                     {"folds", pair.folds},
                     {"difference", pair.difference},
                     {"p", pair.p},
                     {"p_holm", pair.p_holm}});
  }
  document["over_folds"] = std::move(folds);
  if (!tests.comparison) return document;
  const Comparison& found = *tests.comparison;
  Json datasets = Json::array();
  for (const std::size_t d : tests.datasets) datasets.push_back(measured.datasets[d]);
  Json ranks = Json::object();
  for (std::size_t m = 0; m < measured.methods.size(); ++m) ranks[measured.methods[m]] = found.ranks.average[m];
  Json pairs = Json::array();
  for (const PairComparison& pair : found.pairs) {
    pairs.push_back({{"a", measured.methods[static_cast<std::size_t>(pair.a)]},
                     {"b", measured.methods[static_cast<std::size_t>(pair.b)]},
                     {"rank_difference", pair.rank_difference},
                     {"nemenyi_p", pair.nemenyi_p},
                     {"wilcoxon_p", pair.wilcoxon.p},
                     {"wilcoxon_p_holm", pair.wilcoxon_p_holm},
                     {"permutation_p", pair.permutation.p},
                     {"permutation_p_holm", pair.permutation_p_holm}});
  }
  document["over_datasets"] = {{"datasets", std::move(datasets)},
                               {"average_ranks", std::move(ranks)},
                               {"friedman",
                                {{"chi2", found.friedman.chi2_tie_corrected},
                                 {"p", found.friedman.p_tie_corrected},
                                 {"kendall_w", found.friedman.kendall_w}}},
                               {"iman_davenport_p", found.iman_davenport.p},
                               {"nemenyi_distance", found.nemenyi.distance},
                               {"bonferroni_dunn_distance", found.bonferroni_dunn.distance},
                               {"pairs", std::move(pairs)}};
  return document;
}

std::string summary_json(const Experiment& experiment, const std::vector<CellResult>& results,
                         const std::vector<std::pair<std::string, std::string>>& facts,
                         const std::vector<MeasuredMethods>& measured, const std::vector<MethodTests>& tests) {
  Json files = Json::object();
  for (const auto& [name, value] : facts) {
    if (name.starts_with("file ")) files[name.substr(5)] = value;
  }
  Json failed = Json::array();
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k].error.empty()) continue;
    failed.push_back({{"cell", experiment.cell_name(experiment.cells[k])}, {"error", results[k].error}});
  }
  Json values = Json::array();
  for (const MeasuredMethods& one : measured) {
    for (std::size_t d = 0; d < one.datasets.size(); ++d) {
      for (std::size_t m = 0; m < one.methods.size(); ++m) {
        const auto& place = one.at(d, m);
        if (place.cells.empty()) continue;
        values.push_back({{"measure", one.measure},
                          {"dataset", one.datasets[d]},
                          {"method", one.methods[m]},
                          {"mean", optional_json(place.mean())},
                          {"deviation", optional_json(place.deviation())},
                          {"cells", place.cells.size()},
                          {"folds", place.folds.size()},
                          {"best", one.is_best(d, m)}});
      }
    }
  }
  Json comparisons = Json::array();
  for (std::size_t k = 0; k < measured.size(); ++k) comparisons.push_back(comparison_part(measured[k], tests[k]));
  Json document;
  document["experiment"] = experiment.path;
  document["version"] = facts.front().second;
  document["seed"] = experiment.seed;
  document["measures"] = experiment.measures;
  document["files_xxh3"] = std::move(files);
  document["cells"] = experiment.cells.size();
  add_run_facts(experiment, results, document);
  document["failed"] = std::move(failed);
  document["values"] = std::move(values);
  document["tests"] = std::move(comparisons);
  return dump_json(document, 1) + "\n";
}

}  // namespace

std::optional<double> MeasuredMethods::Place::mean() const {
  return cells.empty() ? std::nullopt : std::optional(mean_of(cells));
}

std::optional<double> MeasuredMethods::Place::deviation() const {
  if (folds.size() < 2) return std::nullopt;
  const double mean = mean_of(folds);
  double sum = 0;
  for (const double value : folds) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(folds.size() - 1));
}

bool MeasuredMethods::is_best(std::size_t dataset, std::size_t method) const {
  const auto own = at(dataset, method).mean();
  if (!own) return false;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const auto other = at(dataset, m).mean();
    if (other && (higher_is_better ? *other > *own : *other < *own)) return false;
  }
  return true;
}

std::vector<MeasuredMethods> measured_methods(const Experiment& experiment, const std::vector<CellResult>& results) {
  NameOrder dataset_order;
  NameOrder method_order;
  std::vector<std::pair<std::size_t, std::size_t>> place;
  for (const ExperimentCell& cell : experiment.cells) {
    const std::size_t dataset = dataset_order.place(experiment.data_name(cell));
    place.emplace_back(dataset, method_order.place(experiment.method_name(cell)));
  }
  const std::vector<std::string>& datasets = dataset_order.names();
  const std::vector<std::string>& methods = method_order.names();
  std::vector<MeasuredMethods> measured;
  for (std::size_t k = 0; k < experiment.measures.size(); ++k) {
    MeasuredMethods one{.measure = experiment.measures[k], .datasets = datasets, .methods = methods, .places = {}};
    one.higher_is_better = std::ranges::find(measures(), one.measure, &MeasureInfo::name)->higher_is_better;
    one.places.resize(datasets.size() * methods.size());
    std::vector<std::map<std::pair<Index, Index>, std::vector<double>>> paired(one.places.size());
    for (std::size_t c = 0; c < results.size(); ++c) {
      const std::size_t at = place[c].first * methods.size() + place[c].second;
      if (!results[c].error.empty()) continue;
      if (results[c].values[k]) one.places[at].cells.push_back(*results[c].values[k]);
      for (std::size_t f = 0; f < results[c].folds.size(); ++f) {
        const auto& value = results[c].folds[f].values[k];
        if (!value) continue;
        one.places[at].folds.push_back(*value);
        add_paired(paired[at], experiment.cells[c].repeat, static_cast<Index>(f), *value);
      }
    }
    for (std::size_t at = 0; at < paired.size(); ++at) {
      for (const auto& [key, values] : paired[at]) one.places[at].paired.emplace_back(key, mean_of(values));
    }
    measured.push_back(std::move(one));
  }
  return measured;
}

std::string results_csv(const Experiment& experiment, const std::vector<CellResult>& results) {
  const bool has_predictions =
      std::ranges::any_of(results, [](const CellResult& result) { return !result.predictions_hash.empty(); });
  std::string text = fmt::format(
      "dataset,method,taxonomy,recipe,parameters,tuned,repeat,draw,order,fold,samples,metric,value,{}fit_seconds,"
      "predict_seconds,memory_mib\n",
      has_predictions ? "predictions," : "");
  const CellResult::Fold none;
  for (std::size_t c = 0; c < results.size(); ++c) {
    const ExperimentCell& cell = experiment.cells[c];
    const ExperimentRecipe& recipe = experiment.recipes[static_cast<std::size_t>(cell.recipe)];
    const std::string begin = fmt::format(
        "{},{},{},{},{}", csv_text(experiment.data_name(cell)), csv_text(experiment.method_name(cell)),
        csv_text(experiment.taxonomies[static_cast<std::size_t>(cell.taxonomy)].name), csv_text(recipe.name),
        csv_text(recipe.variants[static_cast<std::size_t>(cell.variant)].parameters));
    const bool failed = results[c].folds.empty();
    std::string predictions =
        results[c].predictions_hash.empty() ? "" : predictions_file(experiment, static_cast<Index>(c));
    if (has_predictions) predictions += ',';
    for (std::size_t f = 0; f < std::max<std::size_t>(1, results[c].folds.size()); ++f) {
      const CellResult::Fold& fold = failed ? none : results[c].folds[f];
      for (std::size_t k = 0; k < experiment.measures.size(); ++k) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}{:.6f},{:.6f},{:.1f}\n", begin, csv_text(fold.tuned),
                            cell.repeat + 1, cell.draw + 1, cell.order + 1, f + 1, fold.samples, experiment.measures[k],
                            csv_number(failed ? std::nullopt : fold.values[k]), predictions, fold.fit_seconds,
                            fold.predict_seconds, results[c].memory / 0x1p20);
      }
    }
  }
  return text;
}

std::string write_results(const Experiment& experiment, const std::vector<CellResult>& results,
                          const std::vector<std::pair<std::string, std::string>>& facts, const std::string& folder,
                          Context& ctx) {
  const std::vector<MeasuredMethods> measured = measured_methods(experiment, results);
  std::vector<MethodTests> tests;
  for (const MeasuredMethods& one : measured) tests.push_back(tests_of(one, ctx));
  const std::filesystem::path to(folder);
  std::string tables = tables_markdown(measured, tests);
  write_text_file(results_csv(experiment, results), (to / "results.csv").string(), true);
  write_text_file(summary_json(experiment, results, facts, measured, tests), (to / "summary.json").string(), true);
  write_text_file(tables, (to / "tables.md").string(), true);
  write_text_file(tables_latex(measured, tests), (to / "tables.tex").string(), true);
  return tables;
}

}  // namespace clade
