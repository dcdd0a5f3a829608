#include "report/cluster_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::size_t kShownSizes = 20;

template <class Value>
std::vector<double> values_of(const ClusterRun& run, Value&& value) {
  std::vector<double> values;
  for (const ClusterStart& start : run.starts) values.push_back(value(start));
  return values;
}

bool has_classes(const ClusterRun& run) {
  return run.starts.front().accuracy.has_value();
}

Spread accuracy(const ClusterRun& run) {
  return spread(values_of(run, [](const ClusterStart& start) { return *start.accuracy; }));
}
Spread information(const ClusterRun& run) {
  return spread(values_of(run, [](const ClusterStart& start) { return *start.nmi; }));
}
Spread objective(const ClusterRun& run) {
  return spread(values_of(run, [](const ClusterStart& start) { return start.objective; }));
}

std::string text_of(const Spread& of) {
  return fmt::format("{:.4f} +- {:.4f}", of.mean, of.deviation);
}

std::string sizes_line(const ClusterRun& run) {
  std::vector<Index> sizes = run.sizes;
  std::sort(sizes.rbegin(), sizes.rend());
  const std::size_t shown = std::min(sizes.size(), kShownSizes);
  std::string line = fmt::format("best of {}: objective {:.6g}, clusters of {}", counted(run.starts.size(), "start"),
                                 run.starts[run.best].objective,
                                 fmt::join(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < sizes.size()) line += fmt::format(" and {} more", sizes.size() - shown);
  return line + "\n";
}

std::string best_lines(std::span<const ClusterRun> runs) {
  const auto best = [&](const char* name, Spread (*measure)(const ClusterRun&)) {
    const auto at = std::ranges::max_element(runs, {}, [&](const ClusterRun& run) { return measure(run).mean; });
    return fmt::format("best {} {} with {}\n", name, text_of(measure(*at)),
                       counted(static_cast<std::size_t>(at->features), "feature"));
  };
  return best("accuracy", accuracy) + best("nmi", information);
}

json run_json(const ClusterRun& run) {
  json starts = json::array();
  for (const ClusterStart& start : run.starts) {
    starts.push_back({{"objective", start.objective},
                      {"accuracy", number_or_null(start.accuracy)},
                      {"nmi", number_or_null(start.nmi)},
                      {"rounds", start.rounds},
                      {"converged", start.has_converged}});
  }
  json document{{"features", run.features},
                {"accuracy", nullptr},
                {"accuracy_deviation", nullptr},
                {"nmi", nullptr},
                {"nmi_deviation", nullptr},
                {"objective", objective(run).mean},
                {"objective_deviation", objective(run).deviation},
                {"best_start", run.best},
                {"best_objective", run.starts[run.best].objective},
                {"sizes", run.sizes},
                {"starts", std::move(starts)}};
  if (has_classes(run)) {
    document["accuracy"] = accuracy(run).mean;
    document["accuracy_deviation"] = accuracy(run).deviation;
    document["nmi"] = information(run).mean;
    document["nmi_deviation"] = information(run).deviation;
  }
  return document;
}

}  // namespace

std::string cluster_text(std::span<const ClusterRun> runs) {
  const bool measured = has_classes(runs.front());
  std::vector<std::vector<std::string>> rows{{"features"}};
  if (measured) rows[0].insert(rows[0].end(), {"accuracy", "nmi"});
  rows[0].emplace_back("objective");
  for (const ClusterRun& run : runs) {
    rows.push_back({std::to_string(run.features)});
    if (measured) rows.back().insert(rows.back().end(), {text_of(accuracy(run)), text_of(information(run))});
    const Spread of = objective(run);
    rows.back().push_back(fmt::format("{:.6g} +- {:.4g}", of.mean, of.deviation));
  }
  std::string text = aligned_table(rows, 0);
  if (runs.size() == 1) return text + "\n" + sizes_line(runs.front());
  return measured ? text + "\n" + best_lines(runs) : text;
}

std::vector<std::string> cluster_notes(const ClusterRun& run, const ClusterOptions& options) {
  std::vector<std::string> notes;
  const std::string with = fmt::format("with {}", counted(static_cast<std::size_t>(run.features), "feature"));
  if (run.distinct < options.clusters) {
    notes.push_back(fmt::format("{} there are {} only: {} of {} clusters {} empty", with,
                                counted(static_cast<std::size_t>(run.distinct), "different sample"),
                                options.clusters - run.distinct, options.clusters,
                                options.clusters - run.distinct == 1 ? "is" : "are"));
  }
  const auto moving = std::ranges::count(run.starts, false, &ClusterStart::has_converged);
  if (moving > 0) {
    notes.push_back(fmt::format("{} {} of {} starts still moved after {}", with, moving, run.starts.size(),
                                counted(static_cast<std::size_t>(options.rounds), "round")));
  }
  return notes;
}

std::string cluster_json(const ClusterReport& report) {
  json document = json::object();
  if (report.is_sweep) {
    document["sweep"] = json::array();
    for (const ClusterRun& run : report.runs) document["sweep"].push_back(run_json(run));
  } else {
    document = run_json(report.runs.front());
  }
  document["samples"] = report.samples;
  document["clusters"] = report.options.clusters;
  document["repeats"] = report.options.repeats;
  document["notes"] = report.notes;
  if (!report.file.empty()) document["file"] = report.file;
  return json_text(document);
}

}  // namespace clade
