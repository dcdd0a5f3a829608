#pragma once

#include <clade/types.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace clade {

// A stream of random numbers named by a seed and a list of numbers, for example {kFolds, repeat} or {kSynth, sample}.
// Streams with other names are independent, so each piece of parallel work draws from its own and the numbers do not
// depend on which thread does it, nor on the order. The numbers are the same on every platform: xoshiro256** filled
// by splitmix64 (Blackman and Vigna 2018), with distributions of our own, because those of <random> are free to differ.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::initializer_list<std::uint64_t> name = {});

  std::uint64_t next();
  double uniform();          // in [0, 1), 53 random bits
  Index below(Index bound);  // uniform in [0, bound), without bias; bound > 0
  double normal();           // mean 0, variance 1 (polar method)

  template <class T>
  void shuffle(std::span<T> items) {
    for (Index i = static_cast<Index>(items.size()) - 1; i > 0; --i) {
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0;
  bool has_spare_ = false;
};

// First parts of stream names, so that no two uses of one seed share numbers.
enum StreamUse : std::uint64_t {
  kSplitStream = 1,
  kFoldStream,
  kSubsampleStream,
  kSynthStream,
  kTestStream,
  kPermutationStream,
  kBootstrapStream,
  kSolverStream,
  kTaxonomyStream,
  kClusterStream,
};

}  // namespace clade
