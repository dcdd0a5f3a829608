#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/model.h>
#include <clade/select.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "report/page/feature_shape.h"

namespace clade {

class WordList;

// What the explorer knows about the weights of nodes beyond the few largest. The weight of a feature for a node is that
// of telling_features(): of the node minus the mean of its rivals. Models without such weights have differences of
// means in the data instead (MarkingFeatures).
struct WeightSources {
  const Model& model;
  const Dataset& data;  // with the features of the model
  const Evaluation& evaluation;
  const Taxonomy& taxonomy;
  const std::vector<NodeId>& nodes;  // that are shown, by their place on the page
  const FeatureShape& shape;
  const FeatureRanking* ranking = nullptr;  // of the features at inner nodes of the model; null: by the model
  Index explained = 0;                      // only nodes with smaller ids
  bool has_weights = true;                  // of features
  Index room = 0;                           // bytes
};

// Adds to the document of explorer_json():
//
//   strongest  per inner node [word, strength, ...]: the features that decide among its children most, by the root of
//              the sum of squares of their weights for the children, or as the ranking has them
//   selection  the method of the ranking, where there is one
//   common     per node the words that it has in common with those above, where the ranking tells
//   groups     names, features (how many), nodes {place: thousandths of the sum of absolute weights for the node}, and
//              decisions (the same of the strengths)
//   weights    features, kind, nodes {place: [largest, packed_signed()]}
//   image      height, width, by_rows
//   means      low, high, nodes {place: packed_bytes()}: the mean image of the samples of the node
//   feature_names  where they are short enough
//
// What does not fit, or would take long, is left out, the deepest nodes first.
void add_weights(nlohmann::json& document, WordList& words, const WeightSources& sources, Context& ctx);

// A feature as it is called on a page.
std::string feature_word(const Model& model, FeatureIndex feature);

}  // namespace clade
