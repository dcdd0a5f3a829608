#include "report/covering_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

std::string guarantee_name(Guarantee guarantee) {
  return guarantee == Guarantee::kComplete ? "complete" : "correct";
}

std::vector<std::string> covered_row(std::string first, const Covered& covered) {
  return {std::move(first),
          std::to_string(covered.samples),
          std::to_string(covered.covered),
          fmt::format("{:.4f}", covered.share()),
          fmt::format("{:.4f} to {:.4f}", covered.low, covered.high),
          fmt::format("{:.2f}", covered.size),
          fmt::format("{:.2f}", covered.depth),
          std::to_string(covered.roots)};
}

json covered_json(const Covered& covered) {
  return {{"samples", covered.samples}, {"covered", covered.covered}, {"share", covered.share()},
          {"low", covered.low},         {"high", covered.high},       {"size", covered.size},
          {"depth", covered.depth},     {"roots", covered.roots}};
}

}  // namespace

std::string covering_text(const CoverageEvaluation& evaluation) {
  const CoverageOptions& options = evaluation.options;
  std::string size;
  if (options.set_size > 0)
    size = fmt::format(", at most {} node{}", options.set_size, options.set_size > 1 ? "s" : "");
  std::vector<std::vector<std::string>> rows{
      {"level", "samples", "covered", "share", "95 % interval", "size", "depth", "root alone"}};
  for (const Covered& level : evaluation.levels) rows.push_back(covered_row(std::to_string(level.level), level));
  rows.push_back(covered_row("all", evaluation.all));
  return fmt::format("\nanswers with coverage {:g} ({}{}), by level of the truth\n", options.coverage,
                     guarantee_name(options.guarantee), size) +
         aligned_table(rows, 1);
}

nlohmann::json covering_json(const CoverageEvaluation& evaluation) {
  const CoverageOptions& options = evaluation.options;
  json document = covered_json(evaluation.all);
  document["coverage"] = options.coverage;
  document["guarantee"] = guarantee_name(options.guarantee);
  document["set_size"] = options.set_size > 0 ? json(options.set_size) : json(nullptr);
  document["levels"] = json::array();
  for (const Covered& level : evaluation.levels) {
    json entry = covered_json(level);
    entry["level"] = level.level;
    document["levels"].push_back(std::move(entry));
  }
  return document;
}

}  // namespace clade
