#pragma once

#include <clade/conformal.h>
#include <clade/taxonomy.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "classify/model_body.h"
#include "classify/narrowing.h"

namespace clade {

// How far the answers for a sample can be narrowed before they go wrong: the scores of the first answer that does, 0 if
// none does. A guarantee holds for the sample at any threshold from there on. Rounded up to single precision, which
// changes no comparison with thresholds that are rounded so.
struct CalibrationScore {
  std::array<float, kLargestSetSize> complete{};  // by set size, from 1: the mass of the answer (narrowing.h)
  float correct = 0;                              // the largest score of a node that is no true label nor above one
  float own = 0;                                  // one label: 1 - its score
};
CalibrationScore calibration_score(const AnswerSpace& space, std::span<const double> node_scores,
                                   std::span<const NodeId> labels);

// The scores of the samples that calibrate a model. They are sorted, so that they tell nothing about single samples.
struct ConformalScores {
  ConformalOptions::Way way = ConformalOptions::Way::kSplit;
  bool has_several_labels = false;
  std::vector<float> own_share;  // several labels: see AnswerSpace
  Index samples = 0;
  std::vector<float> complete;  // the scores for set size 1, for 2, ..., each ascending; by class: none
  std::vector<float> correct;   // ascending; by class: none
  // By class: all labels of the data, ascending, where the scores of each begin, and the scores, ascending within a
  // class. Empty: all samples are together.
  std::vector<NodeId> classes;
  std::vector<Index> class_offsets;
  std::vector<float> own;

  bool by_class() const { return !classes.empty(); }
  std::span<const float> complete_of(Index set_size) const {
    return std::span(complete).subspan(static_cast<std::size_t>((set_size - 1) * samples),
                                       static_cast<std::size_t>(samples));
  }
};

// `classes` has the class of every score, all of them among `all_classes`; both are empty unless by class.
ConformalScores conformal_scores(ConformalOptions::Way way, const AnswerSpace& space,
                                 const std::vector<CalibrationScore>& scores, std::span<const NodeId> classes,
                                 std::vector<NodeId> all_classes);

// The smallest threshold that holds for a new sample with this probability, if it comes from the same source: the
// ceil((n + 1) coverage)-th of n scores, which ascend; infinite if they are too few.
double conformal_threshold(std::span<const float> scores, double coverage);

// How samples are answered with a coverage.
struct CoverageRule {
  AnswerSpace space;
  Guarantee guarantee = Guarantee::kComplete;
  Index set_size = 1;    // kCorrect, 0: any
  double threshold = 0;  // answers are narrowed as long as they stay above it
  // By class: an answer covers the classes for which 1 - score is at most the threshold.
  struct Class {
    NodeId label;
    double threshold;
  };
  std::vector<Class> classes;
  std::string note;  // if samples are too few; empty: they are not
};
// Classes with few samples share a threshold with their neighbours in the hierarchy. Throws Error (kInput) if the model
// is not calibrated, or for options that do not suit it.
CoverageRule coverage_rule(const ModelBody& model, const CoverageOptions& options);

// The answered nodes, those with the highest scores first.
std::vector<NodeId> covering_nodes(const CoverageRule& rule, std::span<const double> node_scores);

// Does the guarantee hold for these labels?
bool holds(Guarantee guarantee, const Taxonomy& taxonomy, std::span<const NodeId> answer,
           std::span<const NodeId> labels);

// predict_covering() for data that has the model's features by position.
Predictions predict_covering(const ModelBody& model, const Dataset& data, const CoverageRule& rule, Context& ctx);

}  // namespace clade
