#pragma once

#include <clade/types.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace clade {

// A stream of random numbers named by a seed and a list of numbers, for example {kFoldStream, repeat}. Streams with
// different names are independent: each piece of parallel work draws from its own, so the numbers depend neither on the
// thread nor on the order of the work. They are the same on every platform: xoshiro256** seeded by splitmix64 (Blackman
// and Vigna 2018), with our own distributions, because those of <random> may differ.
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

// The first part of a stream's name, so that no two uses of a seed share numbers.
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
  kConformalStream,
  kTuneStream,
};

}  // namespace clade
