#include "report/page/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text_table.h"

namespace clade {
namespace {

// "82" per hundred; few things are counted as they are.
std::string number_of(double part, double whole) {
  if (whole < 100) return fmt::format("{:.0f}", part);
  const double share = 100 * part / whole;
  const bool is_near_end = (share < 1 && share > 0) || (share > 99 && share < 100);
  return is_near_end ? fmt::format("{:.1f}", share) : fmt::format("{:.0f}", share);
}

// "82 of 100 samples", but "3 of 7 samples".
std::string of_hundred(double part, double whole, std::string_view things) {
  return fmt::format("{} of {:.0f} {}", number_of(part, whole), std::min(whole, 100.0), things);
}

bool has_several(const JudgedSamples& judged) {
  return std::ssize(judged.truth.nodes) > judged.truth.samples() ||
         std::ssize(judged.predicted.nodes) > judged.predicted.samples();
}

std::string right_sentence(const Evaluation& evaluation, bool are_sets) {
  const auto samples = static_cast<double>(evaluation.samples);
  const double right = evaluation.value("accuracy").value_or(0) * samples;
  return fmt::format("The model gives {} exactly the right {}.", of_hundred(right, samples, "samples"),
                     are_sets ? "set of labels" : "class");
}

std::string nodes_sentence(const Evaluation& evaluation) {
  const auto precision = evaluation.value("hierarchical_precision");
  const auto recall = evaluation.value("hierarchical_recall");
  if (!precision || !recall) return {};
  return fmt::format(
      "Of 100 nodes that it predicts, counting those above, {:.0f} are true; of 100 true ones it finds {:.0f}.",
      100 * *precision, 100 * *recall);
}

std::string baseline_sentence(const Evaluation& evaluation, const Taxonomy& taxonomy) {
  const auto accuracy = std::ranges::find(measures(), "accuracy", &MeasureInfo::name) - measures().begin();
  const auto& value = evaluation.baseline.values[static_cast<std::size_t>(accuracy)];
  if (!value || evaluation.baseline.labels.empty()) return {};
  const auto samples = static_cast<double>(evaluation.samples);
  std::string answer;
  constexpr std::size_t kNamed = 3;
  const auto& labels = evaluation.baseline.labels;
  for (std::size_t k = 0; k < std::min(kNamed, labels.size()); ++k) {
    answer += fmt::format("{}“{}”", k == 0 ? "" : ", ", taxonomy.name(labels[k]));
  }
  if (labels.size() > kNamed) answer += fmt::format(" and {} more", labels.size() - kNamed);
  return fmt::format("A guess that ignores the features and always answers {} is right for {}.", answer,
                     of_hundred(*value * samples, samples, "samples"));
}

std::string mistakes_sentence(const MistakeSummary& mistakes, bool are_sets, const Taxonomy& taxonomy) {
  const std::string_view things = are_sets ? "wrong labels" : "mistakes";
  if (mistakes.count == 0) return are_sets ? "No label is wrong." : "There are no mistakes.";
  if (taxonomy.longest_path() < 2) return {};
  const auto count = static_cast<double>(mistakes.count);
  std::string text = fmt::format("{} stay below the right parent",
                                 of_hundred(static_cast<double>(mistakes.below_parent), count, things));
  if (mistakes.in_top_branch > mistakes.below_parent) {
    text += fmt::format(", {} in the right branch below the root",
                        number_of(static_cast<double>(mistakes.in_top_branch), count));
  }
  if (mistakes.above > 0) {
    text += fmt::format("; {} are right as far as they go, but stop above the true class",
                        number_of(static_cast<double>(mistakes.above), count));
  }
  return text + ".";
}

std::string level_sentence(const Evaluation& evaluation) {
  if (evaluation.levels.size() < 2 || evaluation.levels.front().samples == 0) return {};
  const LevelScore& first = evaluation.levels.front();
  return fmt::format("On the first level below the root, {} are right.",
                     of_hundred(static_cast<double>(first.right), static_cast<double>(first.samples), "samples"));
}

std::string reliability_sentence(const Evaluation& evaluation) {
  if (!evaluation.reliability) return {};
  const Reliability& r = *evaluation.reliability;
  std::string text = fmt::format("Its probabilities are off by {:.1f} percentage points on average.",
                                 100 * r.expected_calibration_error);
  const auto half = std::ranges::find_if(r.coverage, [](const CoveragePoint& p) { return p.coverage >= 0.5; });
  if (half == r.coverage.end() || half->coverage > 0.75) return text;
  return text + fmt::format(
                    " If it answers only where its probability is at least {:.2f}, {} get an answer, and {} are "
                    "right.",
                    half->threshold,
                    of_hundred(static_cast<double>(half->answered), static_cast<double>(evaluation.samples), "samples"),
                    of_hundred(half->accuracy * static_cast<double>(half->answered),
                               static_cast<double>(half->answered), "answers"));
}

std::string stopping_sentence(const std::vector<EarlyStop>& stops) {
  const auto at = std::ranges::find_if(stops, [](const EarlyStop& stop) { return stop.threshold >= 0.9; });
  if (at == stops.end()) return {};
  return fmt::format(
      "If it stops at the deepest node with a probability of at least {:.2f}, {:.0f} % of its answers are right, and "
      "they "
      "keep {:.0f} % of the depth.",
      at->threshold, 100 * at->right, 100 * at->depth);
}

}  // namespace

std::vector<std::string> plain_sentences(const Evaluation& evaluation, const Taxonomy& taxonomy,
                                         const MistakeSummary& mistakes, const std::vector<EarlyStop>& stops) {
  const bool are_sets = has_several(*evaluation.judged);
  std::vector<std::string> sentences = {right_sentence(evaluation, are_sets),
                                        are_sets ? nodes_sentence(evaluation) : "",
                                        baseline_sentence(evaluation, taxonomy),
                                        mistakes_sentence(mistakes, are_sets, taxonomy),
                                        level_sentence(evaluation),
                                        reliability_sentence(evaluation),
                                        stopping_sentence(stops)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace clade
