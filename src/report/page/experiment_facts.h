#pragma once

#include <clade/experiment_results.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/results.h"
#include "report/page/html.h"

namespace clade {

// What the page of an experiment is made from.
struct ExperimentFacts {
  ExperimentResults results;
  std::vector<MeasuredMethods> measured;  // one for each measure of the results
  // The same without the methods that have no value on any data set, and the tests of the others.
  std::vector<MeasuredMethods> compared;
  std::vector<MethodTests> tests;
};
MeasuredMethods without_empty_methods(const MeasuredMethods& measured);

constexpr double kSignificant = 0.05;
constexpr std::size_t kMostLines = 12;  // of methods in one chart

// ---- sections: one body for all measures, or one for each; empty: the experiment has nothing to show there

std::string run_body(const ExperimentFacts& facts);
std::string convergence_body(const ExperimentFacts& facts);
std::string times_body(const ExperimentFacts& facts);
std::string tuned_body(const ExperimentFacts& facts);

std::string scores_body(const ExperimentFacts& facts, std::size_t measure);
std::string ranks_body(const ExperimentFacts& facts, std::size_t measure);
std::string features_body(const ExperimentFacts& facts, std::size_t measure);
std::string learning_body(const ExperimentFacts& facts, std::size_t measure);
std::string sensitivity_body(const ExperimentFacts& facts, std::size_t measure);
std::string quality_time_body(const ExperimentFacts& facts, std::size_t measure);
std::string distribution_body(const ExperimentFacts& facts, std::size_t measure);

// ---- what the sections share

// A method against the best one of a data set: permutation test over the folds that both have.
struct BestTest {
  double difference = 0;  // to the best
  double p = 1;
  double p_holm = 1;  // corrected for the other methods
};
struct AgainstBest {
  std::size_t best = 0;
  std::vector<std::optional<BestTest>> tests;  // by method; none: not tested
  bool can_tell = false;                       // whether the folds suffice for any difference to be significant
};
AgainstBest against_best(const MeasuredMethods& measured, const MethodTests& tests, std::size_t dataset);

// The results by one measure in a sentence or two.
std::string verdict(const MeasuredMethods& measured, const MethodTests& tests);

// A name for a file: lower-case letters, digits and hyphens.
std::string file_word(std::string_view text);
// "p = 0.021", "p < 0.0001".
std::string p_text(double p);
std::string name_in_quotes(std::string_view name);
// Figures side by side.
std::string figures_html(const std::string& figures);
// How the places of a measure compare: larger is better.
double goodness(const MeasuredMethods& measured, double value);
PageCell p_cell(double p);
PageCell seconds_cell(double seconds);

}  // namespace clade
