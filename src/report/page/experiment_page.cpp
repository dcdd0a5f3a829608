#include "report/page/experiment_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "report/page/experiment_facts.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::size_t kMostPageBytes = 3'000'000;
constexpr std::size_t kFrameBytes = 120'000;  // style, scripts, head and notes

// Keeps the results by some measures, in the order in which they are asked for.
void keep_measures(ExperimentResults& results, const std::vector<std::string>& names, const std::string& folder) {
  if (names.empty()) return;
  std::vector<std::size_t> kept;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(results.measures, name);
    if (found == results.measures.end()) {
      throw input_error({.file = folder}, fmt::format("`metric`: no results by '{}'", name),
                        fmt::format("expected some of {}", fmt::join(results.measures, ", ")));
    }
    const auto place = static_cast<std::size_t>(found - results.measures.begin());
    if (std::ranges::find(kept, place) == kept.end()) kept.push_back(place);
  }
  const auto chosen = [&](const auto& all) {
    std::decay_t<decltype(all)> some;
    for (const std::size_t k : kept) some.push_back(all[k]);
    return some;
  };
  results.measures = chosen(results.measures);
  for (ResultFold& fold : results.folds) fold.values = chosen(fold.values);
}

// A section, and the functions that make its parts.
struct SectionPlan {
  const char* id;
  const char* title;
  const char* words;  // below the title
  std::string (*once)(const ExperimentFacts& facts) = nullptr;
  std::string (*by_measure)(const ExperimentFacts& facts, std::size_t measure) = nullptr;
  bool is_folded = true;  // all measures but the first
};

constexpr SectionPlan kSectionPlans[] = {
    {"run", "What was run", "", run_body},
    {"scores", "Scores", "", nullptr, scores_body, false},
    {"ranks", "Ranks", "", nullptr, ranks_body, false},
    {"features", "Numbers of features", "", nullptr, features_body},
    {"learning", "Learning curves", "", nullptr, learning_body},
    {"sensitivity", "Parameters", "How the scores depend on the parameters of a recipe.", nullptr, sensitivity_body},
    {"convergence", "Convergence",
     "What the selection of features minimises, by iteration, on the first training part of every data set.",
     convergence_body},
    {"folds", "Folds", "", nullptr, distribution_body},
    {"times", "Run times", "Times are those that a method takes alone, whatever it shared with others.", times_body,
     quality_time_body},
    {"tuned", "Tuned parameters", "Parameters that tuning chose inside the training parts.", tuned_body},
};

std::string folded(const std::string& body, const std::string& measure, bool is_open) {
  return fmt::format("<details class=\"measure\"{}><summary>{}</summary>\n{}</details>\n", is_open ? " open" : "",
                     html_escaped(measure), body);
}

// Makes the parts in the order of their weight, and keeps those that fit.
class PageParts {
 public:
  explicit PageParts(const ExperimentFacts& facts) : facts_(facts), bodies_(std::size(kSectionPlans)) {}

  void make() {
    for (std::size_t s = 0; s < bodies_.size(); ++s) {
      if (kSectionPlans[s].once != nullptr) add(s, kSectionPlans[s].once(facts_), kSectionPlans[s].title);
    }
    for (std::size_t k = 0; k < facts_.measured.size(); ++k) {
      for (std::size_t s = 0; s < bodies_.size(); ++s) add_measure(s, k);
    }
  }

  std::vector<PageSection> sections() {
    std::vector<PageSection> sections;
    for (std::size_t s = 0; s < bodies_.size(); ++s) {
      if (bodies_[s].empty()) continue;
      const std::string_view words = kSectionPlans[s].words;
      sections.push_back({kSectionPlans[s].id, kSectionPlans[s].title,
                          (words.empty() ? "" : paragraph_html(words)) + std::move(bodies_[s])});
    }
    return sections;
  }

  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void add_measure(std::size_t section, std::size_t measure) {
    const SectionPlan& plan = kSectionPlans[section];
    if (plan.by_measure == nullptr) return;
    std::string body = plan.by_measure(facts_, measure);
    if (body.empty()) return;
    const std::string& name = facts_.measured[measure].measure;
    if (plan.is_folded && facts_.measured.size() > 1) body = folded(body, name, measure == 0);
    add(section, body, fmt::format("{} by {}", plan.title, name));
  }

  void add(std::size_t section, const std::string& body, const std::string& name) {
    if (bytes_ + body.size() > kMostPageBytes - kFrameBytes) return left_out_.push_back(name);
    bytes_ += body.size();
    bodies_[section] += body;
  }

  const ExperimentFacts& facts_;
  std::vector<std::string> bodies_;
  std::vector<std::string> left_out_;
  std::size_t bytes_ = 0;
};

}  // namespace

ExperimentPage experiment_page(const std::string& folder, const ExperimentPageOptions& options, Context& ctx) {
  ExperimentFacts facts{read_experiment_results(folder, ctx), {}, {}, {}};
  keep_measures(facts.results, options.measures, folder);
  facts.measured = measured_methods(facts.results);
  for (const MeasuredMethods& one : facts.measured) {
    facts.compared.push_back(without_empty_methods(one));
    facts.tests.push_back(tests_of(facts.compared.back(), ctx));
  }
  PageParts parts(facts);
  parts.make();
  ExperimentPage result;
  result.cells = facts.results.cells;
  Page page;
  page.title = options.title.empty() ? std::filesystem::path(facts.results.experiment).stem().string() : options.title;
  page.subtitle = fmt::format("{} on {}, measured by Clade.", counted(facts.results.methods.size(), "method"),
                              counted(facts.results.datasets.size(), "data set"));
  page.sections = parts.sections();
  if (!parts.left_out().empty()) {
    constexpr std::size_t kMostNamed = 4;
    const auto& names = parts.left_out();
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, names.size())));
    result.notes.push_back(
        fmt::format("left out, for the page would exceed 3 MB: {}{}; `metric` chooses measures", fmt::join(first, ", "),
                    names.size() > kMostNamed ? fmt::format(" and {} more", names.size() - kMostNamed) : ""));
    page.sections.front().body += "<p class=\"notes\">" + html_escaped(result.notes.back()) + "</p>\n";
  }
  result.html = page_html(page);
  return result;
}

}  // namespace clade
