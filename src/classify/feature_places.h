#pragma once

#include <clade/types.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace clade {

// Where a feature stands in an ascending list of some of them. Where the list has many of all features, a bit for each
// says whether it is there, and how many stand before a word of these is counted beforehand; otherwise the list is cut
// into ranges of features, about as many as it has. Takes at most 8 bytes per feature of the list, and a few for every
// 64 of all.
class FeaturePlaces {
 public:
  // The features are below `all`; `listed` must outlive this object.
  FeaturePlaces(std::span<const FeatureIndex> listed, Index all);

  // The position in the list, or -1.
  Index of(FeatureIndex feature) const {
    const auto f = static_cast<std::size_t>(feature);
    if (words_.empty()) return in_range(feature);
    const Word& word = words_[f / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (f % kBits);
    if ((word.present & bit) == 0) return -1;
    return static_cast<Index>(word.before) + std::popcount(word.present & (bit - 1));
  }

 private:
  static constexpr std::size_t kBits = 64;
  struct Word {
    std::uint64_t present = 0;
    std::uint64_t before = 0;  // features of the list in earlier words
  };
  Index in_range(FeatureIndex feature) const;

  std::span<const FeatureIndex> listed_;
  std::vector<Word> words_;
  unsigned shift_ = 0;
  std::vector<std::uint32_t> begins_;  // of the features with the same feature >> shift_, and the end
};

}  // namespace clade
