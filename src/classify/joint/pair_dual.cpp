#include "classify/joint/pair_dual.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace clade {
namespace {

constexpr Index kKeptClasses = 2048;  // 16 MiB
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBits = 64;

std::size_t padded(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

}  // namespace

PairDual::PairDual(const JointProblem& problem)
    : attributes_(problem.attributes),
      class_place_(static_cast<std::size_t>(attributes_.classes()), -1),
      coefficient_(static_cast<std::size_t>(attributes_.count), 0),
      is_used_(static_cast<std::size_t>(attributes_.count) / kBits + 1, 0) {
  const Index classes = attributes_.classes();
  if (classes > kKeptClasses) return;
  std::vector<float> all(static_cast<std::size_t>(classes * classes));
  for (Index a = 0; a < classes; ++a) {
    for (Index b = 0; b <= a; ++b) {
      all[static_cast<std::size_t>(a * classes + b)] = all[static_cast<std::size_t>(b * classes + a)] =
          static_cast<float>(similarity(attributes_, a, b));
    }
  }
  similarity_ = std::make_shared<const std::vector<float>>(std::move(all));
}

std::int32_t PairDual::local_class(std::int32_t y) {
  std::int32_t& place = class_place_[static_cast<std::size_t>(y)];
  if (place < 0) {
    place = static_cast<std::int32_t>(used_classes_.size());
    used_classes_.push_back(y);
  }
  return place;
}

void PairDual::number_classes(std::span<const PairVariable> variables) {
  used_classes_.clear();
  pairs_.clear();
  for (const PairVariable& v : variables) {
    const std::int32_t own = local_class(v.own);
    pairs_.push_back({own, local_class(v.other)});
  }
  for (const std::int32_t y : used_classes_) class_place_[static_cast<std::size_t>(y)] = -1;
}

void PairDual::fill_similarity() {
  const std::size_t count = used_classes_.size();
  local_.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    const float* const row = similarity_ ? similarity_->data() + used_classes_[a] * attributes_.classes() : nullptr;
    for (std::size_t b = 0; b <= a; ++b) {
      local_[a * count + b] = local_[b * count + a] = row != nullptr
                                                          ? static_cast<double>(row[used_classes_[b]])
                                                          : similarity(attributes_, used_classes_[a], used_classes_[b]);
    }
  }
}

void PairDual::fill_products(std::span<const PairVariable> variables, double square) {
  const std::size_t count = pairs_.size();
  const std::size_t stride = padded(count);
  products_.resize(count * stride);
  for (std::size_t p = 0; p < count; ++p) {
    const double* const own = local_.data() + static_cast<std::size_t>(pairs_[p].own) * used_classes_.size();
    const double* const other = local_.data() + static_cast<std::size_t>(pairs_[p].other) * used_classes_.size();
    double* const row = products_.data() + p * stride;
    const double factor = variables[p].loss * square;
    for (std::size_t q = 0; q < count; ++q) {
      const auto [y, r] = pairs_[q];
      row[q] = factor * variables[q].loss * ((own[y] - other[y]) - (own[r] - other[r]));
    }
    std::fill(row + count, row + stride, 0.0);
  }
}

PairDual::Outcome PairDual::solve(std::span<PairVariable> variables, std::span<const double> class_scores,
                                  const Sample& sample) {
  number_classes(variables);
  fill_similarity();
  fill_products(variables, sample.square);
  const std::size_t count = variables.size();
  const std::size_t stride = padded(count);
  gradient_.assign(stride, 0);
  before_.resize(count);
  double sum = 0;
  for (std::size_t p = 0; p < count; ++p) {
    gradient_[p] = variables[p].loss * (1 - class_scores[static_cast<std::size_t>(variables[p].own)] +
                                        class_scores[static_cast<std::size_t>(variables[p].other)]);
    before_[p] = variables[p].share;
    sum += variables[p].share;
  }

  Outcome outcome;
  for (;; ++outcome.steps) {
    double most = 0;
    double least = is_exhausted(sum, sample.cost) ? std::numeric_limits<double>::infinity() : 0;
    std::size_t up = kNone;
    std::size_t down = kNone;
    for (std::size_t p = 0; p < count; ++p) {
      if (gradient_[p] > most) {
        most = gradient_[p];
        up = p;
      }
      if (variables[p].share > 0 && gradient_[p] < least) {
        least = gradient_[p];
        down = p;
      }
    }
    if (outcome.steps == 0) outcome.violation = std::max(0.0, most - least);
    // The negation also stops if nothing can go down.
    if (!(most - least > sample.tolerance) || outcome.steps == sample.most_steps ||
        least == std::numeric_limits<double>::infinity())
      break;

    const double* const rising = up != kNone ? products_.data() + up * stride : nullptr;
    const double* const falling = down != kNone ? products_.data() + down * stride : nullptr;
    double bend = 0;
    if (rising != nullptr) bend += rising[up];
    if (falling != nullptr) bend += falling[down];
    if (rising != nullptr && falling != nullptr) bend -= 2 * rising[down];
    const double longest = down != kNone ? variables[down].share : std::max(0.0, sample.cost - sum);
    const double step = bend > 0 ? std::min(longest, (most - least) / bend) : longest;
    if (rising != nullptr && falling != nullptr) {
      for (std::size_t k = 0; k < stride; ++k) gradient_[k] -= step * (rising[k] - falling[k]);
    } else if (rising != nullptr) {
      for (std::size_t k = 0; k < stride; ++k) gradient_[k] -= step * rising[k];
    } else {
      for (std::size_t k = 0; k < stride; ++k) gradient_[k] += step * falling[k];
    }
    if (up != kNone) {
      variables[up].share += step;
      sum += step;
    }
    if (down != kNone) {
      variables[down].share = step == longest ? 0 : variables[down].share - step;
      sum -= step;
    } else if (step == longest) {
      sum = sample.cost;
    }
    if (step == 0) break;
  }
  for (std::size_t p = 0; p < count; ++p) {
    const double change = variables[p].loss * (variables[p].share - before_[p]);
    outcome.linear += change;
    outcome.slope += change * (class_scores[static_cast<std::size_t>(variables[p].own)] -
                               class_scores[static_cast<std::size_t>(variables[p].other)]);
  }
  return outcome;
}

void PairDual::add_to(std::int32_t attribute, double change) {
  const auto z = static_cast<std::size_t>(attribute);
  is_used_[z / kBits] |= std::uint64_t{1} << (z % kBits);
  coefficient_[z] += change;
}

// The difference comes first: where both classes have the same value, exactly nothing is left.
void PairDual::add_difference(std::int32_t own, std::int32_t other, double change) {
  const auto plus = attributes_.index_of(own);
  const auto minus = attributes_.index_of(other);
  const auto plus_value = attributes_.value_of(own);
  const auto minus_value = attributes_.value_of(other);
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < plus.size() || b < minus.size()) {
    if (b == minus.size() || (a < plus.size() && plus[a] < minus[b])) {
      add_to(plus[a], change * plus_value[a]);
      ++a;
    } else if (a == plus.size() || minus[b] < plus[a]) {
      add_to(minus[b], -change * minus_value[b]);
      ++b;
    } else {
      if (plus_value[a] != minus_value[b]) add_to(plus[a], change * (plus_value[a] - minus_value[b]));
      ++a;
      ++b;
    }
  }
}

void PairDual::list_changes(std::span<const PairVariable> variables, std::vector<AttributeChange>& changes) {
  for (std::size_t p = 0; p < variables.size(); ++p) {
    const double change = variables[p].loss * (variables[p].share - before_[p]);
    if (change != 0) add_difference(variables[p].own, variables[p].other, change);
  }
  changes.clear();
  for (std::size_t word = 0; word < is_used_.size(); ++word) {
    for (std::uint64_t bits = is_used_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t z = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      if (coefficient_[z] != 0) changes.push_back({static_cast<std::int32_t>(z), coefficient_[z]});
      coefficient_[z] = 0;
    }
    is_used_[word] = 0;
  }
}

}  // namespace clade
