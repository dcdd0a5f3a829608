#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "classify/feature_places.h"
#include "classify/model_body.h"

namespace clade {

// What a prediction for many samples turns linear outputs into, once for all of them. It changes no result: sums have
// the same terms in the same order.

// Roughly what a sample of sparse text looks up, to tell what pays off.
inline constexpr Index kLookupsPerSample = 64;

// The weights of features that have one for many outputs, with zeros for the others, so that they are added side by
// side without looking where each belongs.
struct FullRows {
  static constexpr std::size_t kPadding = 8;  // rows end at a multiple of as many numbers

  std::size_t width = 0;              // of a row: the outputs, up to a multiple of kPadding
  std::vector<std::uint32_t> number;  // by place of the feature: 1 + the number of its row; 0: it has none
  Buffer<float> rows;

  const float* of(std::size_t place) const {
    return number[place] == 0 ? nullptr : rows.data() + std::size_t{number[place] - 1} * width;
  }
};

// The full rows of the features with weights for a quarter of the outputs at least, or for more if otherwise they took
// more memory than the outputs themselves. Nothing if `samples` are too few to pay for them, or the outputs.
std::optional<FullRows> full_rows(const LinearOutputs& outputs, Index samples, Context& ctx);

// Where features stand in the outputs of the nodes of a model. Made for a node when its samples begin to look up more
// than that takes, and used by all threads.
class NodePlaces {
 public:
  // For so many samples in all; the model must outlive this object.
  NodePlaces(const ModelBody& model, Index samples);
  ~NodePlaces();
  NodePlaces(const NodePlaces&) = delete;
  NodePlaces& operator=(const NodePlaces&) = delete;

  // For so many of the samples at this node of the model. Null: search for features.
  const FeaturePlaces* of(const NodeClassifier& node, Index samples) const;

 private:
  struct Slot {
    std::atomic<Index> lookups{0};
    std::atomic<const FeaturePlaces*> places{nullptr};
  };
  const ModelBody& model_;
  std::size_t size_ = 0;
  std::unique_ptr<Slot[]> slots_;  // by node; null: so few samples are not worth it
};

}  // namespace clade
