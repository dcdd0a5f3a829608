#include "classify/feature_places.h"

#include <algorithm>

namespace clade {

FeaturePlaces::FeaturePlaces(std::span<const FeatureIndex> listed, Index all) : listed_(listed) {
  const auto total = static_cast<std::size_t>(all);
  if (listed.size() * kBits / 2 >= total) {
    words_.resize(total / kBits + 1);
    for (const FeatureIndex f : listed) {
      words_[static_cast<std::size_t>(f) / kBits].present |= std::uint64_t{1} << (static_cast<std::size_t>(f) % kBits);
    }
    std::uint64_t before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += static_cast<std::uint64_t>(std::popcount(word.present));
    }
    return;
  }
  while ((total >> shift_) > listed.size()) ++shift_;
  begins_.assign((total >> shift_) + 2, 0);
  for (const FeatureIndex f : listed) ++begins_[(static_cast<std::size_t>(f) >> shift_) + 1];
  for (std::size_t k = 1; k < begins_.size(); ++k) begins_[k] += begins_[k - 1];
}

Index FeaturePlaces::in_range(FeatureIndex feature) const {
  const std::size_t range = static_cast<std::size_t>(feature) >> shift_;
  const auto* const begin = listed_.data() + begins_[range];
  const auto* const end = listed_.data() + begins_[range + 1];
  const auto* const at = std::lower_bound(begin, end, feature);
  return at != end && *at == feature ? at - listed_.data() : -1;
}

}  // namespace clade
