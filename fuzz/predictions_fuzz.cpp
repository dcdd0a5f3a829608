#include <string>
#include <vector>

#include "array_fuzz.h"
#include "io/predictions/predictions.h"

namespace clade {
namespace {

Dataset fuzz_samples(Index samples, bool named) {
  static const Taxonomy kTaxonomy = flat_taxonomy(std::vector<std::string>{"a", "b,c", "d \"e\"", "f\ng", ""});
  Dataset::Parts parts;
  parts.features = DenseMatrix<double>{.rows = samples, .columns = 0, .values = {}};
  parts.labels.offsets.assign(static_cast<std::size_t>(samples) + 1, 0);
  parts.taxonomy = kTaxonomy;
  for (Index s = 0; named && s < samples; ++s) parts.sample_names.push_back(s == 0 ? "" : "s," + std::to_string(s));
  return Dataset(std::move(parts));
}

void require_valid(const Predictions& predictions, const Dataset& data) {
  require(predictions.samples() == data.samples() && predictions.offsets[0] == 0);
  require(std::ssize(predictions.labels) == predictions.offsets.back());
  require(predictions.scores.size() == predictions.labels.size());
  for (const NodeId label : predictions.labels) require(label >= 0 && label < data.taxonomy().size());
}

// What was read can be written and reads back the same.
void require_round_trip(const Predictions& predictions, const Dataset& data) {
  std::string text;
  try {
    StringSink sink;
    write_predictions(predictions, data, sink, fuzz_context());
    text = sink.text();
    const Predictions again = parse_predictions(Input::from_bytes("written", text), data, fuzz_context());
    require(again.offsets == predictions.offsets && again.labels == predictions.labels &&
            again.scores == predictions.scores);
  } catch (const Error&) {
    require(false);
  }
}

}  // namespace
}  // namespace clade

// The first byte sets the number of samples; its lowest bit says whether they have names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  if (size == 0) return 0;
  const Dataset samples = fuzz_samples((data[0] >> 1U) % 8, (data[0] & 1U) != 0);
  fuzz_bytes(data + 1, size - 1, [&](std::string_view bytes) {
    const Predictions predictions = parse_predictions(Input::from_bytes("fuzz", bytes), samples, fuzz_context());
    require_valid(predictions, samples);
    require_round_trip(predictions, samples);
  });
  return fuzz_bytes(data + 1, size - 1, [&](std::string_view bytes) {
    const std::vector<Index> clusters = parse_clusters(Input::from_bytes("fuzz", bytes), samples, fuzz_context());
    require(std::ssize(clusters) == samples.samples());
    Index next = 0;
    for (const Index cluster : clusters) {
      require(cluster >= 0 && cluster <= next);
      if (cluster == next) ++next;
    }
  });
}
