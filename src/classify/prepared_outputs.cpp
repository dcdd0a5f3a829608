#include "classify/prepared_outputs.h"

#include <algorithm>
#include <array>

#include "core/large_pages.h"
#include "core/parallel.h"

namespace clade {
namespace {

// With fewer outputs, adding weights one by one is as fast.
constexpr Index kFewestOutputs = 32;
constexpr std::size_t kShares = 16;         // fullness is told in sixteenths
constexpr std::size_t kLeastShare = 4;      // a row that is emptier is added faster weight by weight
constexpr std::size_t kBytesPerWeight = 6;  // as packed: a float and where it belongs

std::size_t weights_of(const LinearOutputs& outputs, std::size_t place) {
  return std::size_t{outputs.offsets[place + 1]} - std::size_t{outputs.offsets[place]};
}

std::size_t share_of(const LinearOutputs& outputs, std::size_t place) {
  return kShares * weights_of(outputs, place) / static_cast<std::size_t>(outputs.count);
}

// The fullness from which on rows are made full.
std::size_t least_share(const LinearOutputs& outputs, std::size_t width) {
  std::array<std::size_t, kShares + 1> rows{};
  for (std::size_t place = 0; place < outputs.features.size(); ++place) ++rows[share_of(outputs, place)];
  const std::size_t most = kBytesPerWeight * std::size_t{outputs.offsets.back()};
  std::size_t bytes = 0;
  std::size_t share = kShares + 1;
  while (share > kLeastShare && bytes + rows[share - 1] * width * sizeof(float) <= most) {
    bytes += rows[--share] * width * sizeof(float);
  }
  return share;
}

}  // namespace

std::optional<FullRows> full_rows(const LinearOutputs& outputs, Index samples, Context& ctx) {
  const auto* const weights = std::get_if<std::span<const float>>(&outputs.weights);
  if (weights == nullptr || outputs.count < kFewestOutputs) return std::nullopt;
  if (samples * kLookupsPerSample < std::ssize(outputs.features)) return std::nullopt;
  FullRows full;
  constexpr std::size_t kPadding = FullRows::kPadding;
  full.width = (static_cast<std::size_t>(outputs.count) + kPadding - 1) / kPadding * kPadding;
  const std::size_t least = least_share(outputs, full.width);
  full.number.assign(outputs.features.size(), 0);
  std::uint32_t rows = 0;
  for (std::size_t place = 0; place < outputs.features.size(); ++place) {
    if (share_of(outputs, place) >= least) full.number[place] = ++rows;
  }
  full.rows = Buffer<float>(static_cast<Index>(rows * full.width));
  prefer_large_pages(full.rows);
  const auto fill = [&](std::size_t place, const auto& output) {
    float* const row = full.rows.data() + std::size_t{full.number[place] - 1} * full.width;
    std::fill(row, row + full.width, 0.0F);
    for (std::size_t e = outputs.offsets[place]; e < outputs.offsets[place + 1]; ++e) row[output[e]] = (*weights)[e];
  };
  constexpr Index kPlacesPerTask = 256;
  parallel_for(ctx, std::ssize(outputs.features), kPlacesPerTask, [&](Index begin, Index end) {
    std::visit(
        [&](const auto& output) {
          for (auto place = static_cast<std::size_t>(begin); place < static_cast<std::size_t>(end); ++place) {
            if (full.number[place] > 0) fill(place, output);
          }
        },
        outputs.outputs);
  });
  return full;
}

NodePlaces::NodePlaces(const ModelBody& model, Index samples) : model_(model) {
  constexpr Index kFewestSamples = 32;
  if (samples < kFewestSamples) return;
  size_ = model.nodes.size();
  slots_ = std::make_unique<Slot[]>(size_);
}

NodePlaces::~NodePlaces() {
  for (std::size_t k = 0; k < size_; ++k) delete slots_[k].places.load();
}

const FeaturePlaces* NodePlaces::of(const NodeClassifier& node, Index samples) const {
  if (!slots_) return nullptr;
  constexpr Index kFeaturesPerSearch = 16;  // to enter them takes as long as to search for one
  Slot& slot = slots_[static_cast<std::size_t>(&node - model_.nodes.data())];
  const FeaturePlaces* made = slot.places.load(std::memory_order_acquire);
  if (made != nullptr) return made;
  const Index lookups = samples * kLookupsPerSample;
  const Index all = slot.lookups.fetch_add(lookups, std::memory_order_relaxed) + lookups;
  if (all * kFeaturesPerSearch < std::ssize(node.linear.features)) return nullptr;
  auto own = std::make_unique<const FeaturePlaces>(node.linear.features, model_.features);
  // Whoever comes first keeps theirs for all.
  if (slot.places.compare_exchange_strong(made, own.get(), std::memory_order_acq_rel)) made = own.release();
  return made;
}

}  // namespace clade
