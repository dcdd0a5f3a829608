#include <clade/dataset.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "classify/model_body.h"
#include "classify/predict.h"
#include "model/array_file.h"
#include "model/model_file.h"

namespace clade {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::string written(const ModelBody& model) {
  StringSink sink;
  write_model(model, sink);
  return sink.text();
}

// Touches everything that prediction would touch, so that the sanitizers see any access out of bounds.
double touch(const ModelBody& model) {
  double sum = 0;
  for (const NodeClassifier& node : model.nodes) {
    require(model.at(node.node) == &node);
    for (const NodeId child : node.children) require(child > 0 && child < model.taxonomy->size());
    const LinearOutputs& linear = node.linear;
    std::vector<double> scores(linear.bias.begin(), linear.bias.end());
    for (std::size_t f = 0; f < linear.features.size(); ++f) {
      require(linear.features[f] >= 0 && linear.features[f] < model.features);
      for (std::uint32_t k = linear.offsets[f]; k < linear.offsets[f + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto output = std::visit([&](auto v) { return static_cast<std::size_t>(v[at]); }, linear.outputs);
        require(output < scores.size());
        scores[output] += std::visit([&](auto v) { return static_cast<double>(v[at]); }, linear.weights);
      }
    }
    for (const double score : scores) sum += score;
  }
  return sum;
}

// A few samples that the model accepts: all zeros, some values, and sequences if it takes those.
Dataset samples_for(const ModelBody& model) {
  constexpr Index kSamples = 3;
  constexpr Index kMostFeatures = 64;
  const bool has_sequences = model.vectorizer && model.vectorizer->options.sequences;
  const Index features = has_sequences ? 256 : std::min(model.features, kMostFeatures);
  const Index values = std::min<Index>(features, 5);
  SparseMatrix<double> matrix{kSamples, features, Buffer<Index>(kSamples + 1), Buffer<FeatureIndex>(2 * values),
                              Buffer<double>(2 * values)};
  matrix.offsets[0] = 0;
  matrix.offsets[1] = 0;
  for (Index s = 1; s < kSamples; ++s) {
    for (Index k = 0; k < values; ++k) {
      const Index at = (s - 1) * values + k;
      matrix.indices[at] = static_cast<FeatureIndex>(k);
      matrix.values[at] = static_cast<double>(s + 2 * k);
    }
    matrix.offsets[s + 1] = s * values;
  }
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  parts.taxonomy = *model.taxonomy;
  for (Index s = 0; s < kSamples; ++s) parts.labels.offsets.push_back(0);
  if (has_sequences) parts.vectorizer = model.vectorizer;
  return Dataset(std::move(parts));
}

void predict_with(const ModelBody& model) {
  // Every sample is compared with all leaves, so a large hierarchy is slow, not wrong.
  constexpr NodeId kMostNodes = 1000;
  if (model.taxonomy->size() > kMostNodes || model.nodes.empty()) return;
  Context ctx({.threads = 1});
  const Dataset data = samples_for(model);
  for (const Index top_k : {0, 3}) {
    try {
      const Predictions predictions = predict(model, data, {.top_k = top_k}, ctx);
      for (const NodeId label : predictions.labels) require(label >= 0 && label < model.taxonomy->size());
    } catch (const Error& error) {
      require(error.kind() == Error::Kind::kInput);
    }
  }
}

}  // namespace
}  // namespace clade

// Corrects length and checksum first, so that the content is reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= kArrayFileHeader + 8) seal_array_file(bytes);
  try {
    const ModelBody model = parse_model(Input::from_bytes("fuzz", bytes));
    touch(model);
    predict_with(model);
    const std::string first = written(model);
    const ModelBody again = parse_model(Input::from_bytes("written", first));
    require(*again.taxonomy == *model.taxonomy && written(again) == first);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput);
  }
  return 0;
}
