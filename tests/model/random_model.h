#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// What a random model is made of.
struct RandomModel {
  unsigned seed = 1;
  NodeId nodes = 12;
  Index features = 20;
  bool dag = false;
  bool miscellaneous = false;
  bool names = false;
  bool vectorizer = false;
  bool calibration = false;
  bool double_weights = false;
  bool wide_outputs = false;
  bool votes = false;
  bool paths = false;
};

// The arrays that the spans of a random model point to.
struct RandomArrays {
  std::vector<FeatureIndex> features;
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint16_t> outputs_u16;
  std::vector<std::uint32_t> outputs_u32;
  std::vector<float> weights_f32;
  std::vector<double> weights_f64;
  std::vector<double> bias;
};

inline Taxonomy random_taxonomy(const RandomModel& wanted, std::mt19937& random) {
  TaxonomyBuilder builder;
  for (NodeId k = 0; k < wanted.nodes; ++k) builder.node(k == 3 ? "odd\xff \"name\"\n" : "n" + std::to_string(k));
  for (NodeId child = 1; child < wanted.nodes; ++child) {
    const auto parent = static_cast<NodeId>(random() % static_cast<unsigned>(child));
    builder.edge(parent, child);
    const auto second = static_cast<NodeId>(random() % static_cast<unsigned>(child));
    if (wanted.dag && second != parent) builder.edge(second, child);
  }
  Taxonomy taxonomy = builder.build();
  if (!wanted.miscellaneous) return taxonomy;
  // Two steps, so that the leaves are not in the order of their parents.
  const auto inner = taxonomy.internal_nodes();
  taxonomy = taxonomy.with_miscellaneous_leaves(std::vector<NodeId>{inner.back()});
  return taxonomy.with_miscellaneous_leaves(std::vector<NodeId>{0});
}

inline LinearOutputs random_outputs(Index count, const RandomModel& wanted, RandomArrays& arrays,
                                    std::mt19937& random) {
  arrays.offsets.push_back(0);
  for (FeatureIndex f = 0; f < wanted.features; ++f) {
    if (random() % 3 == 0) continue;
    arrays.features.push_back(f);
    for (Index o = 0; o < count; ++o) {
      if (random() % 2 == 0) continue;
      const double weight = std::normal_distribution<double>()(random);
      if (wanted.wide_outputs) arrays.outputs_u32.push_back(static_cast<std::uint32_t>(o));
      if (!wanted.wide_outputs) arrays.outputs_u16.push_back(static_cast<std::uint16_t>(o));
      if (wanted.double_weights) arrays.weights_f64.push_back(weight);
      if (!wanted.double_weights) arrays.weights_f32.push_back(static_cast<float>(weight));
    }
    const std::size_t total = wanted.double_weights ? arrays.weights_f64.size() : arrays.weights_f32.size();
    arrays.offsets.push_back(static_cast<std::uint32_t>(total));
  }
  for (Index o = 0; o < count; ++o) arrays.bias.push_back(std::normal_distribution<double>()(random));
  LinearOutputs linear;
  linear.count = count;
  linear.features = arrays.features;
  linear.offsets = arrays.offsets;
  linear.bias = arrays.bias;
  linear.outputs = std::span<const std::uint16_t>(arrays.outputs_u16);
  linear.weights = std::span<const float>(arrays.weights_f32);
  if (wanted.wide_outputs) linear.outputs = std::span<const std::uint32_t>(arrays.outputs_u32);
  if (wanted.double_weights) linear.weights = std::span<const double>(arrays.weights_f64);
  return linear;
}

inline Calibration random_calibration(std::mt19937& random) {
  Calibration calibration;
  calibration.kind = static_cast<Calibration::Kind>(random() % 3);
  if (calibration.kind == Calibration::Kind::kSigmoid) calibration.at = {-1.5, 0.25};
  if (calibration.kind == Calibration::Kind::kIsotonic) {
    for (int k = 0; k < 4; ++k) calibration.at.push_back(k * 0.5 - 1);
    for (int k = 0; k < 4; ++k) calibration.value.push_back((k + 1) * 0.2);
  }
  return calibration;
}

inline ModelBody random_model(const RandomModel& wanted) {
  std::mt19937 random(wanted.seed);
  auto storage = std::make_shared<std::vector<std::unique_ptr<RandomArrays>>>();
  ModelBody model;
  model.classifier = "top-down-svm";
  model.parameters = {{"C", "0.5"}, {"file", "caf\xe9.json"}};
  model.kind = wanted.paths ? ModelKind::kPaths : ModelKind::kTopDown;
  model.taxonomy = random_taxonomy(wanted, random);
  model.features = wanted.features;
  std::vector<std::string> words;
  for (Index f = 0; f < wanted.features; ++f) words.push_back("word" + std::to_string(f));
  std::sort(words.begin(), words.end());
  if (wanted.vectorizer) {
    auto vectorizer = std::make_shared<TextVectorizer>();
    vectorizer->options.stem = "english";
    vectorizer->options.weight = TermWeight::kBinary;
    vectorizer->words = words;
    vectorizer->documents = 9;
    for (Index f = 0; f < wanted.features; ++f) vectorizer->document_frequency.push_back(1 + f % 9);
    model.vectorizer = vectorizer;
  }
  if (wanted.names) {
    model.feature_names = words;
    if (wanted.seed % 2 == 0) model.feature_names[0] = "";
  }
  model.has_unit_rows = wanted.names;
  model.is_multilabel = wanted.calibration;
  model.samples = 1234;
  model.seconds = 0.1;
  model.summary = {{"support vectors", "77"}};

  const Taxonomy& taxonomy = *model.taxonomy;
  if (wanted.paths) {
    for (int level = 0; level < taxonomy.longest_path(); ++level) model.level_weights.push_back(1.0 / (level + 1));
  }
  for (const NodeId node : taxonomy.internal_nodes()) {
    if (wanted.paths && node != 0) break;
    NodeClassifier& classifier = model.nodes.emplace_back();
    classifier.node = node;
    const auto children = taxonomy.children(node);
    classifier.children.assign(children.begin(), children.end());
    const auto c = std::ssize(children);
    classifier.decision = wanted.votes ? Decision::kVotes : Decision::kScores;
    Index outputs = wanted.votes ? c * (c - 1) / 2 : c;
    if (wanted.paths) outputs = taxonomy.size() - 1;
    storage->push_back(std::make_unique<RandomArrays>());
    classifier.linear = random_outputs(c == 1 && !wanted.paths ? 0 : outputs, wanted, *storage->back(), random);
    for (Index k = 0; wanted.calibration && k < c; ++k) classifier.calibration.push_back(random_calibration(random));
    classifier.temperature = 1 + node;
    classifier.samples = 100 + node;
  }
  model.storage = storage;
  return model;
}

}  // namespace clade
