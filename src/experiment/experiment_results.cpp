#include "experiment/experiment_results.h"

#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "core/json.h"
#include "experiment/results_records.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

// ---- results.csv

constexpr std::array<std::string_view, 16> kResultColumns = {
    "dataset", "method", "taxonomy", "recipe", "parameters", "tuned",       "repeat",          "draw",
    "order",   "fold",   "samples",  "metric", "value",      "fit_seconds", "predict_seconds", "memory_mib"};
enum ResultColumn : std::size_t {
  kDatasetColumn,
  kMethodColumn,
  kTaxonomyColumn,
  kRecipeColumn,
  kParametersColumn,
  kTunedColumn,
  kRepeatColumn,
  kDrawColumn,
  kOrderColumn,
  kFoldColumn,
  kSamplesColumn,
  kMetricColumn,
  kValueColumn,
  kFitColumn,
  kPredictColumn,
  kMemoryColumn,
};
constexpr std::size_t kMostPlaces = 10'000'000;  // methods x data sets

// "c=0.1 top=10"; what has no sign of equality goes on with the value before it.
std::vector<std::pair<std::string, std::string>> parsed_parameters(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t sign = word.find('=');
    if (sign != std::string_view::npos) {
      result.emplace_back(word.substr(0, sign), word.substr(sign + 1));
    } else if (!result.empty()) {
      result.back().second += fmt::format(" {}", word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

class ResultsFileReader {
 public:
  ResultsFileReader(const Input& input, ExperimentResults& results)
      : input_(input), records_(input), results_(results) {}

  void read() {
    find_columns();
    Index rows = 0;
    for (Record record; records_.next(record); ++rows) add(record);
    if (rows == 0) throw input_error({.file = input_.name()}, "a header and no results", "expected a row per result");
    if (results_.datasets.size() * results_.methods.size() > kMostPlaces) {
      throw input_error({.file = input_.name()},
                        fmt::format("{} methods on {} data sets", results_.methods.size(), results_.datasets.size()),
                        "expected fewer");
    }
    for (ResultFold& fold : results_.folds) fold.values.resize(results_.measures.size());
  }

 private:
  void find_columns() {
    const std::vector<std::string>& header = records_.header();
    for (std::size_t k = 0; k < kResultColumns.size(); ++k) {
      const auto found = std::ranges::find(header, kResultColumns[k]);
      if (found == header.end()) {
        throw input_error(input_.at_line(records_.header_line()), fmt::format("no column '{}'", kResultColumns[k]),
                          fmt::format("expected results of clade experiment, version {}", CLADE_VERSION));
      }
      columns_[k] = static_cast<std::size_t>(found - header.begin());
    }
  }

  const std::string& text(const Record& record, ResultColumn column) const { return record.fields[columns_[column]]; }

  double number(const Record& record, ResultColumn column) const {
    constexpr double kLargest = 1e100;  // whose square is a number, too
    double value = 0;
    const bool is_number = parse_whole_number(text(record, column), value) == NumberStatus::kOk;
    if (is_number && std::abs(value) <= kLargest) return value;
    throw input_error(input_.at_line(record.line),
                      fmt::format("'{}' in column '{}'", shown(text(record, column)), kResultColumns[column]),
                      "expected a number of at most 1e100");
  }

  Index count(const Record& record, ResultColumn column) const {
    const double value = number(record, column);
    if (value >= 0 && value <= 0x1p53 && value == static_cast<double>(static_cast<Index>(value))) {
      return static_cast<Index>(value);
    }
    throw input_error(input_.at_line(record.line),
                      fmt::format("'{}' in column '{}'", shown(text(record, column)), kResultColumns[column]),
                      "expected a whole number");
  }

  const std::string& name(const Record& record, ResultColumn column) const {
    if (!text(record, column).empty()) return text(record, column);
    throw input_error(input_.at_line(record.line), fmt::format("column '{}' is empty", kResultColumns[column]),
                      "expected a name");
  }

  // The place of a name, which `add_new` makes when it comes for the first time.
  template <class AddNew>
  static std::size_t place(std::unordered_map<std::string, std::size_t>& places, const std::string& name,
                           const AddNew& add_new) {
    const auto [entry, is_new] = places.try_emplace(name, places.size());
    if (is_new) add_new();
    return entry->second;
  }

  void add(const Record& record) {
    const std::string& dataset_name = name(record, kDatasetColumn);
    const std::string& method_name = name(record, kMethodColumn);
    const std::string& measure_name = name(record, kMetricColumn);
    const std::size_t dataset =
        place(datasets_, dataset_name, [&] { results_.datasets.push_back(dataset_of(dataset_name)); });
    const std::size_t method = place(methods_, method_name, [&] {
      results_.methods.push_back({method_name, text(record, kRecipeColumn), text(record, kTaxonomyColumn),
                                  parsed_parameters(text(record, kParametersColumn))});
    });
    const std::size_t measure = place(measures_, measure_name, [&] { results_.measures.push_back(measure_name); });
    if (count(record, kSamplesColumn) == 0) return;  // it failed
    ResultFold& fold = fold_of(record, dataset, method);
    if (fold.values.size() <= measure) fold.values.resize(measure + 1);
    if (text(record, kValueColumn).empty()) return;
    if (fold.values[measure]) {
      throw input_error(input_.at_line(record.line), fmt::format("a second {} of this fold", shown(measure_name)),
                        "expected one");
    }
    fold.values[measure] = number(record, kValueColumn);
  }

  // "dd k=5" is a part of the data set "dd", if that is learnt from 5 samples of each class.
  ResultDataset dataset_of(const std::string& name) const {
    for (const RunData& data : results_.data) {
      for (const Index per_class : data.per_class) {
        if (name == fmt::format("{} k={}", data.name, per_class)) return {name, data.name, per_class};
      }
    }
    return {name, name, 0};
  }

  ResultFold& fold_of(const Record& record, std::size_t dataset, std::size_t method) {
    const FoldKey key{dataset,
                      method,
                      count(record, kRepeatColumn),
                      count(record, kDrawColumn),
                      count(record, kOrderColumn),
                      count(record, kFoldColumn)};
    const auto [entry, is_new] = folds_.try_emplace(key, results_.folds.size());
    if (!is_new) return results_.folds[entry->second];
    return results_.folds.emplace_back(ResultFold{.dataset = dataset,
                                                  .method = method,
                                                  .repeat = std::get<2>(key),
                                                  .draw = std::get<3>(key),
                                                  .order = std::get<4>(key),
                                                  .fold = std::get<5>(key),
                                                  .samples = count(record, kSamplesColumn),
                                                  .values = {},
                                                  .tuned = text(record, kTunedColumn),
                                                  .fit_seconds = number(record, kFitColumn),
                                                  .predict_seconds = number(record, kPredictColumn),
                                                  .memory_mib = number(record, kMemoryColumn)});
  }

  using FoldKey = std::tuple<std::size_t, std::size_t, Index, Index, Index, Index>;

  const Input& input_;
  ResultsRecords records_;
  ExperimentResults& results_;
  std::array<std::size_t, kResultColumns.size()> columns_{};
  std::unordered_map<std::string, std::size_t> datasets_;
  std::unordered_map<std::string, std::size_t> methods_;
  std::unordered_map<std::string, std::size_t> measures_;
  std::map<FoldKey, std::size_t> folds_;
};

// ---- summary.json

std::string text_at(const nlohmann::json& object, const char* key) {
  return object.at(key).get<std::string>();
}

Index count_at(const nlohmann::json& object, const char* key) {
  return object.at(key).get<Index>();
}

void read_run(const nlohmann::json& document, ExperimentResults& results) {
  results.experiment = text_at(document, "experiment");
  results.seed = document.at("seed").get<std::uint64_t>();
  results.cells = count_at(document, "cells");
  const nlohmann::json& hashes = document.at("files_xxh3");
  for (const nlohmann::json& data : document.at("data")) {
    RunData& entry = results.data.emplace_back(RunData{.name = text_at(data, "name"),
                                                       .file = text_at(data, "file"),
                                                       .test = text_at(data, "test"),
                                                       .measured_by = text_at(data, "measured_by"),
                                                       .hash = {},
                                                       .per_class = data.at("per_class").get<std::vector<Index>>(),
                                                       .repeats = count_at(data, "repeats"),
                                                       .samples = count_at(data, "samples"),
                                                       .features = count_at(data, "features")});
    if (hashes.contains(entry.file)) entry.hash = hashes.at(entry.file).get<std::string>();
  }
  for (const nlohmann::json& recipe : document.at("recipes")) {
    results.recipes.push_back({.name = text_at(recipe, "name"),
                               .classifiers = recipe.at("classifiers").get<std::vector<std::string>>(),
                               .selectors = recipe.at("selectors").get<std::vector<std::string>>(),
                               .variants = count_at(recipe, "variants"),
                               .tuned_among = count_at(recipe, "tuned_among"),
                               .orders = count_at(recipe, "orders")});
  }
  for (const nlohmann::json& taxonomy : document.at("taxonomies")) {
    results.taxonomies.push_back({.name = text_at(taxonomy, "name"),
                                  .kind = text_at(taxonomy, "kind"),
                                  .method = text_at(taxonomy, "method"),
                                  .draws = count_at(taxonomy, "draws")});
  }
  for (const nlohmann::json& cell : document.at("failed")) {
    results.failed.push_back({text_at(cell, "cell"), text_at(cell, "error")});
  }
  for (const nlohmann::json& selection : document.at("convergence")) {
    results.convergence.push_back(
        {.dataset = text_at(selection, "dataset"),
         .method = text_at(selection, "method"),
         .objective = selection.at("objective").get<std::vector<std::pair<Index, double>>>()});
  }
}

void read_summary(const Input& input, ExperimentResults& results) {
  const std::string& path = input.name();
  nlohmann::json document;
  try {
    document = parse_json(input.bytes());
  } catch (const nlohmann::json::exception&) {
    throw input_error({.file = path}, "is no whole JSON document", "expected the summary of an experiment");
  }
  try {
    results.version = text_at(document, "version");
    read_run(document, results);
  } catch (const nlohmann::json::exception&) {
    const std::string problem = results.version.empty() || results.version == CLADE_VERSION
                                    ? "is not the summary of an experiment"
                                    : fmt::format("was written by Clade {}", shown(results.version));
    throw input_error({.file = path}, problem,
                      fmt::format("expected what clade experiment writes, version {}", CLADE_VERSION));
  }
}

}  // namespace

ExperimentResults parse_experiment_results(const Input& summary, const Input& table) {
  ExperimentResults results;
  read_summary(summary, results);
  ResultsFileReader(table, results).read();
  return results;
}

ExperimentResults read_experiment_results(const std::string& folder, Context& ctx) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const char* name : {"results.csv", "summary.json"}) {
    if (!fs::exists(fs::path(folder) / name, ignored)) {
      throw input_error({.file = folder}, fmt::format("no {} in this folder", name),
                        "expected the folder of a finished experiment");
    }
  }
  return parse_experiment_results(Input::open((fs::path(folder) / "summary.json").string(), ctx),
                                  Input::open((fs::path(folder) / "results.csv").string(), ctx));
}

}  // namespace clade
