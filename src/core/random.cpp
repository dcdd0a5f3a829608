#include "core/random.h"

#include <bit>
#include <cmath>

#include "core/check.h"

namespace clade {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::initializer_list<std::uint64_t> name) {
  std::uint64_t key = seed;
  for (const std::uint64_t part : name) {
    // Each part goes through the mixer, so that {1, 2} and {2, 1} are different streams.
    std::uint64_t mixed = splitmix(key) ^ part;
    key = splitmix(mixed);
  }
  for (auto& word : state_) word = splitmix(key);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11U) * 0x1p-53;
}

Index RandomStream::below(Index bound) {
  CLADE_CHECK(bound > 0);
  const auto n = static_cast<std::uint64_t>(bound);
  const std::uint64_t limit = -n % n;  // 2^64 mod n: smaller draws would favour some results
  std::uint64_t draw = next();
  while (draw < limit) draw = next();
  return static_cast<Index>(draw % n);
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0;
  double v = 0;
  double s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double scale = std::sqrt(-2 * std::log(s) / s);
  spare_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

}  // namespace clade
