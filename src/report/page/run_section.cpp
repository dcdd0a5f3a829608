#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/page/experiment_facts.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::size_t kMostFailures = 100;

std::string run_fact_html(std::string_view name, std::string_view text) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html_escaped(text));
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string run_facts_html(const ExperimentResults& results) {
  double seconds = 0;
  for (const ResultFold& fold : results.folds) seconds += fold.fit_seconds + fold.predict_seconds;
  return "<dl class=\"facts\">\n" + run_fact_html("Experiment", results.experiment) +
         run_fact_html("Cells",
                       fmt::format("{}, {} failed", grouped(results.cells), grouped(std::ssize(results.failed)))) +
         run_fact_html("Measures", fmt::format("{}", fmt::join(results.measures, ", "))) +
         run_fact_html("Seed", std::to_string(results.seed)) + run_fact_html("Version", "Clade " + results.version) +
         run_fact_html("Learning and predicting", duration_text(seconds) + ", each cell by itself") + "</dl>\n";
}

PageTable data_table(const ExperimentResults& results) {
  PageTable table{"data-sets", "Data sets", {}, {}};
  table.columns = {{"data set", false, ""},
                   {"samples", true, "with those of the test part, unless they have a file of their own"},
                   {"features", true, "before selection; texts have them only once they are vectorised"},
                   {"measured by", false, ""},
                   {"repeats", true, "how often folds or samples are drawn"},
                   {"file", false, ""},
                   {"hash", false, "XXH3 of the file"}};
  for (const RunData& data : results.data) {
    std::string measured_by = data.measured_by;
    if (!data.per_class.empty()) measured_by += fmt::format("; {} samples per class", fmt::join(data.per_class, ", "));
    const auto known = [](Index count) { return count > 0 ? count_cell(count) : text_cell("–"); };
    table.rows.push_back({text_cell(data.name), known(data.samples), known(data.features), text_cell(measured_by),
                          count_cell(data.repeats),
                          text_cell(data.test.empty() ? data.file : fmt::format("{}, test {}", data.file, data.test)),
                          text_cell(data.hash)});
  }
  return table;
}

PageTable recipe_table(const ExperimentResults& results) {
  PageTable table{"recipes", "Recipes", {}, {}};
  table.columns = {{"recipe", false, ""},
                   {"classifier", false, ""},
                   {"selection", false, ""},
                   {"variants", true, "combinations of parameters, each of them a method"},
                   {"tuned among", true, "combinations among which tuning chooses inside the training part"}};
  for (const RunRecipe& recipe : results.recipes) {
    table.rows.push_back(
        {text_cell(recipe.name), text_cell(fmt::format("{}", fmt::join(recipe.classifiers, ", "))),
         text_cell(recipe.selectors.empty() ? "none" : fmt::format("{}", fmt::join(recipe.selectors, ", "))),
         count_cell(recipe.variants), recipe.tuned_among > 0 ? count_cell(recipe.tuned_among) : text_cell("–")});
  }
  return table;
}

PageTable taxonomy_table(const ExperimentResults& results) {
  PageTable table{"taxonomies", "Taxonomies to learn with", {}, {}};
  table.columns = {{"taxonomy", false, ""}, {"kind", false, ""}, {"draws", true, ""}};
  for (const RunTaxonomy& taxonomy : results.taxonomies) {
    const std::string kind =
        taxonomy.method.empty() ? taxonomy.kind : fmt::format("{} by {}", taxonomy.kind, taxonomy.method);
    table.rows.push_back({text_cell(taxonomy.name), text_cell(kind), count_cell(taxonomy.draws)});
  }
  return table;
}

PageTable failure_table(const ExperimentResults& results) {
  PageTable table{"failed", "Cells that failed", {}, {}};
  if (results.failed.size() > kMostFailures) table.caption += fmt::format("; the first {}", kMostFailures);
  table.columns = {{"cell", false, ""}, {"error", false, ""}};
  for (std::size_t k = 0; k < std::min(kMostFailures, results.failed.size()); ++k) {
    table.rows.push_back({text_cell(results.failed[k].cell), text_cell(results.failed[k].error)});
  }
  return table;
}

}  // namespace

std::string run_body(const ExperimentFacts& facts) {
  const ExperimentResults& results = facts.results;
  std::string sentences;
  for (std::size_t k = 0; k < facts.compared.size(); ++k) {
    const std::string sentence = verdict(facts.compared[k], facts.tests[k]);
    if (sentence.empty()) continue;
    sentences +=
        fmt::format("<li><b>{}</b>: {}</li>\n", html_escaped(facts.measured[k].measure), html_escaped(sentence));
  }
  if (!results.failed.empty()) {
    sentences += fmt::format("<li>{} of {} cells failed.</li>\n", results.failed.size(), grouped(results.cells));
  }
  std::string body = fmt::format("<ul class=\"sentences\">\n{}</ul>\n", sentences) + run_facts_html(results) +
                     "<br>\n" + table_html(data_table(results)) + table_html(recipe_table(results));
  if (results.taxonomies.size() > 1) body += table_html(taxonomy_table(results));
  if (!results.failed.empty()) body += table_html(failure_table(results));
  return body;
}

}  // namespace clade
