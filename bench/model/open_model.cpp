// How long does opening a model of 100 MB take?
//
//   open_model
//
// Models of ten million weights and 100,000 words, over 1,000 and over 100,000 nodes; the file is in the page cache.
// Prints the median of 15 runs, and for comparison that of reading the same bytes into memory.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "../ratio.h"
#include "core/random.h"
#include "model/model_file.h"

namespace {

using namespace clade;

constexpr Index kFeatures = 100'000;
constexpr Index kWeights = 10'000'000;
constexpr Index kWeightsPerFeature = 4;

struct Arrays {
  std::vector<FeatureIndex> features;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint16_t> outputs;
  std::vector<float> weights;
  std::vector<double> bias;
};

Taxonomy ten_children_each(NodeId nodes) {
  TaxonomyBuilder builder;
  for (NodeId k = 0; k < nodes; ++k) builder.node("category/" + std::to_string(k));
  for (NodeId k = 1; k < nodes; ++k) builder.edge((k - 1) / 10, k);
  return builder.build();
}

std::shared_ptr<const TextVectorizer> vocabulary() {
  auto vectorizer = std::make_shared<TextVectorizer>();
  for (Index k = 0; k < kFeatures; ++k) vectorizer->words.push_back("a rather long word " + std::to_string(k));
  std::sort(vectorizer->words.begin(), vectorizer->words.end());
  vectorizer->document_frequency.assign(static_cast<std::size_t>(kFeatures), 7);
  vectorizer->documents = 1'000'000;
  return vectorizer;
}

NodeClassifier classifier(const Taxonomy& taxonomy, NodeId node, Index features, Arrays& arrays, RandomStream& random) {
  const auto children = taxonomy.children(node);
  const auto count = static_cast<Index>(children.size());
  for (Index k = 0; k < features; ++k) {
    arrays.features.push_back(static_cast<FeatureIndex>(k * kFeatures / features));
    for (Index w = 0; w < kWeightsPerFeature; ++w) {
      arrays.outputs.push_back(static_cast<std::uint16_t>(random.below(count)));
      arrays.weights.push_back(static_cast<float>(random.uniform()));
    }
    arrays.offsets.push_back(static_cast<std::uint32_t>(arrays.weights.size()));
  }
  arrays.bias.assign(children.size(), 0.5);
  NodeClassifier result{.node = node, .children = {children.begin(), children.end()}, .linear = {.count = count}};
  result.linear.features = arrays.features;
  result.linear.offsets = arrays.offsets;
  result.linear.outputs = std::span<const std::uint16_t>(arrays.outputs);
  result.linear.weights = std::span<const float>(arrays.weights);
  result.linear.bias = arrays.bias;
  return result;
}

ModelBody large_model(NodeId nodes) {
  ModelBody model;
  model.classifier = "bench";
  model.taxonomy = ten_children_each(nodes);
  model.features = kFeatures;
  model.vectorizer = vocabulary();
  model.feature_names = model.vectorizer->words;
  const auto inner = model.taxonomy->internal_nodes();
  const Index per_node = kWeights / kWeightsPerFeature / std::ssize(inner);
  auto storage = std::make_shared<std::vector<Arrays>>(inner.size());
  RandomStream random(1);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    model.nodes.push_back(classifier(*model.taxonomy, inner[k], per_node, (*storage)[k], random));
  }
  model.storage = storage;
  return model;
}

template <class Action>
double median_milliseconds(const Action& action) {
  std::vector<double> times;
  for (int k = 0; k < 15; ++k) {
    const auto start = std::chrono::steady_clock::now();
    action();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

void read_plainly(const std::string& path, std::vector<char>& bytes) {
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), std::ssize(bytes));
}

void measure(NodeId nodes) {
  const std::string path = (std::filesystem::temp_directory_path() / "clade-bench-model.clade").string();
  write_model(large_model(nodes), path, true);
  std::vector<char> bytes(std::filesystem::file_size(path));
  const double plain = median_milliseconds([&] { read_plainly(path, bytes); });
  const double opened = median_milliseconds([&] { read_model_body(path); });
  bench::record({.question = "model",
                 .contender = "open",
                 .baseline = "read",
                 .data = fmt::format("{} nodes", nodes),
                 .rounds = {opened / plain}});
  fmt::print("{:7} nodes {:6.1f} MB   open {:5.1f} ms   plain read {:5.1f} ms   {:.1f} x\n", nodes,
             static_cast<double>(bytes.size()) / 1e6, opened, plain, opened / plain);
  std::filesystem::remove(path);
}

}  // namespace

int main() {
  measure(1'000);
  measure(100'000);
}
