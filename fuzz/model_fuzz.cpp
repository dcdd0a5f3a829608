#include <cstdint>
#include <cstdlib>
#include <string>

#include "classify/model_body.h"
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

// Touches everything that prediction would, as prediction would: the sanitizers see a step outside.
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

}  // namespace
}  // namespace clade

// Length and checksum are made right first, so that the content is reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= kArrayFileHeader + 8) seal_array_file(bytes);
  try {
    const ModelBody model = parse_model(Input::from_bytes("fuzz", bytes));
    touch(model);
    const std::string first = written(model);
    const ModelBody again = parse_model(Input::from_bytes("written", first));
    require(*again.taxonomy == *model.taxonomy && written(again) == first);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput);
  }
  return 0;
}
