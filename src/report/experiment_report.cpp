#include "report/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/quantity_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using ExperimentJson = nlohmann::json;

double all_seconds(const std::vector<CellEstimate>& estimates, Index cells, int threads) {
  double seconds = 0;
  for (const CellEstimate& one : estimates) seconds += one.seconds * static_cast<double>(one.cells);
  return seconds / static_cast<double>(std::clamp<Index>(cells, 1, threads));
}

double most_memory(const std::vector<CellEstimate>& estimates) {
  double memory = 0;
  for (const CellEstimate& one : estimates) memory = std::max(memory, one.memory);
  return memory;
}

}  // namespace

std::string estimate_text(const Experiment& experiment, const std::vector<CellEstimate>& estimates, int threads) {
  const Index cells = std::ssize(experiment.cells);
  std::vector<std::vector<std::string>> rows{{"data set", "recipe", "cells", "time of one", "memory of one"}};
  for (const CellEstimate& one : estimates) {
    if (one.problem.empty()) {
      rows.push_back({one.data, one.recipe, grouped(one.cells), time_text(one.seconds), memory_text(one.memory)});
    } else {
      rows.push_back({one.data, one.recipe, grouped(one.cells), "would fail", ""});
    }
  }
  std::string text = fmt::format("{}: {}\n\n{}\n", experiment.path, cells == 1 ? "1 cell" : grouped(cells) + " cells",
                                 aligned_table(rows, 2));
  for (const CellEstimate& one : estimates) {
    if (!one.problem.empty()) text += fmt::format("{} on {}: {}\n", one.recipe, one.data, one.problem);
  }
  return text + fmt::format(
                    "About {} on {}; each thread needs {} on top of the data. The estimate comes from one cell of each "
                    "row,\ntried with at most 400 samples; methods that slow down faster than data grow take longer.\n",
                    time_text(all_seconds(estimates, cells, threads)),
                    counted(static_cast<std::size_t>(threads), "thread"), memory_text(most_memory(estimates)));
}

std::string estimate_json(const Experiment& experiment, const std::vector<CellEstimate>& estimates, int threads) {
  ExperimentJson groups = ExperimentJson::array();
  for (const CellEstimate& one : estimates) {
    ExperimentJson group{{"dataset", one.data}, {"recipe", one.recipe}, {"cells", one.cells}};
    if (one.problem.empty()) {
      group["seconds_per_cell"] = one.seconds;
      group["memory_bytes"] = one.memory;
    } else {
      group["problem"] = one.problem;
    }
    groups.push_back(std::move(group));
  }
  ExperimentJson names = ExperimentJson::array();
  for (const ExperimentCell& cell : experiment.cells) names.push_back(experiment.cell_name(cell));
  const auto count = std::ssize(experiment.cells);
  return json_text({{"experiment", experiment.path},
                    {"cells", std::move(names)},
                    {"groups", std::move(groups)},
                    {"seconds", all_seconds(estimates, count, threads)},
                    {"threads", threads}});
}

std::string outcome_text(const ExperimentOutcome& outcome, const std::string& folder) {
  constexpr std::size_t kNamed = 5;
  std::string text = outcome.table;
  if (!outcome.failed.empty()) text += "\nfailed:\n";
  for (std::size_t k = 0; k < std::min(kNamed, outcome.failed.size()); ++k) {
    text += fmt::format("  {}: {}\n", outcome.failed[k].cell, outcome.failed[k].error);
  }
  if (outcome.failed.size() > kNamed) text += fmt::format("  and {} more\n", outcome.failed.size() - kNamed);
  text += fmt::format("\n{}{} -> {}\n", counted(static_cast<std::size_t>(outcome.cells), "cell"),
                      outcome.resumed > 0 ? fmt::format(", {} of them from before", outcome.resumed) : "", folder);
  return text;
}

std::string outcome_json(const ExperimentOutcome& outcome, const std::string& folder) {
  ExperimentJson failed = ExperimentJson::array();
  for (const FailedCell& one : outcome.failed) failed.push_back({{"cell", one.cell}, {"error", one.error}});
  return json_text({{"folder", folder},
                    {"cells", outcome.cells},
                    {"resumed", outcome.resumed},
                    {"failed", std::move(failed)},
                    {"seconds", outcome.seconds},
                    {"cell_seconds", outcome.cell_seconds},
                    {"table_seconds", outcome.table_seconds}});
}

}  // namespace clade
