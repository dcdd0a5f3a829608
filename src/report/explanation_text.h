#pragma once

#include <clade/dataset.h>
#include <clade/explain.h>
#include <clade/predict.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clade {

// A sample's path from the root to its label, with names in place of numbers: it outlives the data.
struct Explanation {
  struct Reason {
    std::string feature;
    double value;
    double contribution;
  };
  struct Example {
    std::string name;
    std::string labels;  // joined by ;
    double similarity;
    double contribution;
  };
  struct NamedStep {
    std::string node;
    std::string child;
    std::optional<std::string> rival;  // none: the only child with samples
    double probability;
    double margin;
    std::vector<Reason> reasons;
    std::vector<Example> examples;
  };
  std::string sample;
  std::string label;
  double score = 0;
  std::vector<NamedStep> steps;
  bool has_hashed_words = false;  // so that the names of features are those of no words
};

Explanation explanation_of(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                           const std::vector<Step>& steps);

// For people: at each node the child taken, its probability, the second best child, and the features that decided.
std::string explanation_text(const Explanation& explanation);

// For programs: {"samples", "explanations": [{"sample", "label", "score", "steps": [{"node", "child", "probability",
// "rival", "margin", "reasons": [{"feature", "value", "contribution"}], "examples": [{"sample", "labels",
// "similarity", "contribution"}]}]}]}; a model with a kernel has examples, any other reasons; rival and margin are null
// where a node has one child only. `samples` is the number of samples predicted.
std::string explanations_json(Index samples, std::span<const Explanation> explanations);

// The most telling features of a class, for people and for programs.
std::string telling_features_text(const Model& model, NodeId node, const std::vector<TellingFeatures>& found);
std::string telling_features_json(const Model& model, NodeId node, const std::vector<TellingFeatures>& found);

}  // namespace clade
